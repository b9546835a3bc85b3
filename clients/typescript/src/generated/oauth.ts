// Made from docs/openapi/oauth.json by `npm run clients`.
export interface paths {
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get an access token
         * @description The client credentials grant of OAuth 2.0. Keep the token and use it until shortly before it expires.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End an access token
         * @description Refused from the next request on (RFC 7009). Answered 200 whatever the token is, so that nothing is learnt about those of others.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Public keys that check access tokens
         * @description A JWK Set (RFC 7517). Only for those who want to check tokens themselves.
         */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where tokens come from and end
         * @description Authorization server metadata (RFC 8414).
         */
        get: operations["getServerMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where tokens come from and end
         * @description The same where OpenID Connect Discovery has it, which is where many clients look.
         */
        get: operations["getOpenIdMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the function can do its work
         * @description For anybody. An answer holds for a second.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this document
         * @description For anybody, with the address of this deployment.
         */
        get: operations["getOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Token: {
            /** @description A JWT, for the header Authorization: Bearer <token>. */
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description Seconds. */
            expires_in: number;
            /** @description Scopes of this token, separated by spaces. */
            scope: string;
        };
        Error: {
            /** @description A code of RFC 6749 or RFC 8707, such as invalid_client. */
            error: string;
            /** @description A sentence for developers. */
            error_description: string;
        };
        TokenRequest: {
            /** @enum {string} */
            grant_type: "client_credentials";
            /** @description Unless the Authorization header has it. */
            client_id?: string;
            /** @description Unless the Authorization header has it. */
            client_secret?: string;
            /** @description Base address of the API that the token is for; that of the functions when absent. */
            audience?: string;
            /** @description Scopes separated by spaces, all that the client has when absent: read:leads, write:leads, read:deals, write:deals, read:users, write:users, read:teams, write:teams, read:webhooks, write:webhooks, admin. */
            scope?: string;
        };
        RevocationRequest: {
            /** @description An access token of this client. */
            token: string;
            /** @description Changes nothing: there are only access tokens. */
            token_type_hint?: string;
            /** @description Unless the Authorization header has it. */
            client_id?: string;
            /** @description Unless the Authorization header has it. */
            client_secret?: string;
        };
        KeySet: {
            keys: {
                /** @enum {string} */
                kty: "EC";
                /** @enum {string} */
                crv: "P-256";
                x: string;
                y: string;
                /** @description The kid of the tokens that it checks. */
                kid: string;
                /** @enum {string} */
                use: "sig";
                /** @enum {string} */
                alg: "ES256";
            }[];
        };
        ServerMetadata: {
            /** Format: uri */
            issuer: string;
            /** Format: uri */
            token_endpoint: string;
            token_endpoint_auth_methods_supported: string[];
            /** Format: uri */
            revocation_endpoint: string;
            revocation_endpoint_auth_methods_supported: string[];
            /** Format: uri */
            jwks_uri: string;
            grant_types_supported: "client_credentials"[];
            /** @description Empty: there is no authorization endpoint. */
            response_types_supported: string[];
            scopes_supported: ("read:leads" | "write:leads" | "read:deals" | "write:deals" | "read:users" | "write:users" | "read:teams" | "write:teams" | "read:webhooks" | "write:webhooks" | "admin")[];
        };
    };
    responses: {
        /** @description invalid_client: the client is unknown or revoked, or its secret is missing or wrong. */
        Failure401: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description The scheme to authenticate with. */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A method other than POST. */
        Failure405: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description The methods of this address. */
                Allow: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body did not come in time. */
        Failure408: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body exceeds 16 KiB. */
        Failure413: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is neither a form nor JSON. */
        Failure415: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many attempts failed. */
        Failure429: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Seconds to wait. */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Internal error; retry with backoff. */
        Failure500: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The database cannot be reached. */
        Failure503: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Seconds to wait. */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A method other than GET. */
        Failure405b: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description The methods of this address. */
                Allow: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "client_id": "client_01kdvc2v0me5rtj6wm00000001",
                 *       "client_secret": "DtSg4v6U8X55U1scWQroQQ7bvqKerCb3RYXT7eug",
                 *       "scope": "read:leads"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "client_id": "client_01kdvc2v0me5rtj6wm00000001",
                 *       "client_secret": "DtSg4v6U8X55U1scWQroQQ7bvqKerCb3RYXT7eug",
                 *       "scope": "read:leads"
                 *     }
                 */
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description A token. */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJFUzI1NiIsImtpZCI6IlhaN3NscXA1VkdkLWNXeXZjVjZwOUZBSndtWTdWX0xZT05DRTBRNVpYSDgiLCJ0eXAiOiJhdCtqd3QifQ.eyJjbGllbnRfaWQiOiJjbGllbnRfaHZIeXRwalNLQzN5czJjUUk3SFVjdFpGIiwidGVuYW50X2lkIjoiNTVlZDI1NTctYzhhNi00OWNlLTg2MWMtNmQ0M2ZkNWNkYTk1Iiwic2NvcGUiOiJyZWFkOmxlYWRzIiwicGxhbiI6InN0YXJ0ZXIiLCJyZXF1ZXN0c19wZXJfbWludXRlIjoxMDAsInZhcmlhbnQiOiJhIiwiaXNzIjoiaHR0cDovLzEyNy4wLjAuMTozNjc4Ny9mdW5jdGlvbnMvdjEvb2F1dGgiLCJhdWQiOiJodHRwOi8vMTI3LjAuMC4xOjM2Nzg3L2Z1bmN0aW9ucy92MSIsInN1YiI6ImNsaWVudF9odkh5dHBqU0tDM3lzMmNRSTdIVWN0WkYiLCJpYXQiOjE3OTUzMTIwNjAsImV4cCI6MTc5NTMxNTY2MCwianRpIjoiNWQzY2QxZjAtN2MwMi00M2FkLWEyZTctZjBhNDJmYzk5ZjVhIn0.HhzINDfEVGQbP5QvDGb8dBtYKHT1WZTHRLDdeY8BHJLNWdgyEJiejI000AGiEy-I4U-kGC3kJvWN0uZFkTM_-w",
                     *       "token_type": "Bearer",
                     *       "expires_in": 3600,
                     *       "scope": "read:leads"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description invalid_request, unsupported_grant_type, invalid_scope or invalid_target. */
            400: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Failure401"];
            405: components["responses"]["Failure405"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "client_id": "client_01kdvc2v0me5rtj6wm00000001",
                 *       "client_secret": "DtSg4v6U8X55U1scWQroQQ7bvqKerCb3RYXT7eug",
                 *       "token": "eyJhbGciOiJFUzI1NiIsImtpZCI6IlhaN3NscXA1VkdkLWNXeXZjVjZwOUZBSndtWTdWX0xZT05DRTBRNVpYSDgiLCJ0eXAiOiJhdCtqd3QifQ.eyJjbGllbnRfaWQiOiJjbGllbnRfaHZIeXRwalNLQzN5czJjUUk3SFVjdFpGIiwidGVuYW50X2lkIjoiNTVlZDI1NTctYzhhNi00OWNlLTg2MWMtNmQ0M2ZkNWNkYTk1Iiwic2NvcGUiOiJyZWFkOmxlYWRzIiwicGxhbiI6InN0YXJ0ZXIiLCJyZXF1ZXN0c19wZXJfbWludXRlIjoxMDAsInZhcmlhbnQiOiJhIiwiaXNzIjoiaHR0cDovLzEyNy4wLjAuMTozNjc4Ny9mdW5jdGlvbnMvdjEvb2F1dGgiLCJhdWQiOiJodHRwOi8vMTI3LjAuMC4xOjM2Nzg3L2Z1bmN0aW9ucy92MSIsInN1YiI6ImNsaWVudF9odkh5dHBqU0tDM3lzMmNRSTdIVWN0WkYiLCJpYXQiOjE3OTUzMTIwNjAsImV4cCI6MTc5NTMxNTY2MCwianRpIjoiNWQzY2QxZjAtN2MwMi00M2FkLWEyZTctZjBhNDJmYzk5ZjVhIn0.HhzINDfEVGQbP5QvDGb8dBtYKHT1WZTHRLDdeY8BHJLNWdgyEJiejI000AGiEy-I4U-kGC3kJvWN0uZFkTM_-w"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["RevocationRequest"];
                /**
                 * @example {
                 *       "client_id": "client_01kdvc2v0me5rtj6wm00000001",
                 *       "client_secret": "DtSg4v6U8X55U1scWQroQQ7bvqKerCb3RYXT7eug",
                 *       "token": "eyJhbGciOiJFUzI1NiIsImtpZCI6IlhaN3NscXA1VkdkLWNXeXZjVjZwOUZBSndtWTdWX0xZT05DRTBRNVpYSDgiLCJ0eXAiOiJhdCtqd3QifQ.eyJjbGllbnRfaWQiOiJjbGllbnRfaHZIeXRwalNLQzN5czJjUUk3SFVjdFpGIiwidGVuYW50X2lkIjoiNTVlZDI1NTctYzhhNi00OWNlLTg2MWMtNmQ0M2ZkNWNkYTk1Iiwic2NvcGUiOiJyZWFkOmxlYWRzIiwicGxhbiI6InN0YXJ0ZXIiLCJyZXF1ZXN0c19wZXJfbWludXRlIjoxMDAsInZhcmlhbnQiOiJhIiwiaXNzIjoiaHR0cDovLzEyNy4wLjAuMTozNjc4Ny9mdW5jdGlvbnMvdjEvb2F1dGgiLCJhdWQiOiJodHRwOi8vMTI3LjAuMC4xOjM2Nzg3L2Z1bmN0aW9ucy92MSIsInN1YiI6ImNsaWVudF9odkh5dHBqU0tDM3lzMmNRSTdIVWN0WkYiLCJpYXQiOjE3OTUzMTIwNjAsImV4cCI6MTc5NTMxNTY2MCwianRpIjoiNWQzY2QxZjAtN2MwMi00M2FkLWEyZTctZjBhNDJmYzk5ZjVhIn0.HhzINDfEVGQbP5QvDGb8dBtYKHT1WZTHRLDdeY8BHJLNWdgyEJiejI000AGiEy-I4U-kGC3kJvWN0uZFkTM_-w"
                 *     }
                 */
                "application/json": components["schemas"]["RevocationRequest"];
            };
        };
        responses: {
            /** @description If it was a token of this client, it is ended. */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description invalid_request. */
            400: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Failure401"];
            405: components["responses"]["Failure405"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "EC",
                     *           "crv": "P-256",
                     *           "x": "6pREIwvESq9BeOX_9j7aLrgyhb06uPxG7bqrTyveAoE",
                     *           "y": "X4BWqygSbAuiRffIGP1qhyCMSfB7pYOb4qmc03jw8EM",
                     *           "kid": "XZ7slqp5VGd-cWyvcV6p9FAJwmY7V_LYONCE0Q5ZXH8",
                     *           "use": "sig",
                     *           "alg": "ES256"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["KeySet"];
                };
            };
            405: components["responses"]["Failure405b"];
            /** @description Internal error. */
            500: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getServerMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "http://127.0.0.1:54321/functions/v1/oauth",
                     *       "token_endpoint": "http://127.0.0.1:54321/functions/v1/oauth/token",
                     *       "token_endpoint_auth_methods_supported": [
                     *         "client_secret_basic",
                     *         "client_secret_post"
                     *       ],
                     *       "revocation_endpoint": "http://127.0.0.1:54321/functions/v1/oauth/revoke",
                     *       "revocation_endpoint_auth_methods_supported": [
                     *         "client_secret_basic",
                     *         "client_secret_post"
                     *       ],
                     *       "jwks_uri": "http://127.0.0.1:54321/functions/v1/oauth/.well-known/jwks.json",
                     *       "grant_types_supported": [
                     *         "client_credentials"
                     *       ],
                     *       "response_types_supported": [],
                     *       "scopes_supported": [
                     *         "read:leads",
                     *         "write:leads",
                     *         "read:deals",
                     *         "write:deals",
                     *         "read:users",
                     *         "write:users",
                     *         "read:teams",
                     *         "write:teams",
                     *         "read:webhooks",
                     *         "write:webhooks",
                     *         "admin"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ServerMetadata"];
                };
            };
            405: components["responses"]["Failure405b"];
        };
    };
    getOpenIdMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "http://127.0.0.1:54321/functions/v1/oauth",
                     *       "token_endpoint": "http://127.0.0.1:54321/functions/v1/oauth/token",
                     *       "token_endpoint_auth_methods_supported": [
                     *         "client_secret_basic",
                     *         "client_secret_post"
                     *       ],
                     *       "revocation_endpoint": "http://127.0.0.1:54321/functions/v1/oauth/revoke",
                     *       "revocation_endpoint_auth_methods_supported": [
                     *         "client_secret_basic",
                     *         "client_secret_post"
                     *       ],
                     *       "jwks_uri": "http://127.0.0.1:54321/functions/v1/oauth/.well-known/jwks.json",
                     *       "grant_types_supported": [
                     *         "client_credentials"
                     *       ],
                     *       "response_types_supported": [],
                     *       "scopes_supported": [
                     *         "read:leads",
                     *         "write:leads",
                     *         "read:deals",
                     *         "write:deals",
                     *         "read:users",
                     *         "write:users",
                     *         "read:teams",
                     *         "write:teams",
                     *         "read:webhooks",
                     *         "write:webhooks",
                     *         "admin"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ServerMetadata"];
                };
            };
            405: components["responses"]["Failure405b"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can. */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
            405: components["responses"]["Failure405b"];
            /** @description It cannot: its log says why. */
            503: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "unavailable";
                    };
                };
            };
        };
    };
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            405: components["responses"]["Failure405b"];
        };
    };
}
