// Made from docs/openapi/default-integration.json by `npm run clients`.
export interface paths {
    "/default-integration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send collaborators or activities
         * @description Safe to repeat: a collaborator sent again is updated, an activity sent again counts as a duplicate. An invalid collaborator is reported and stops nothing; an invalid activity refuses the whole request. Needs the scope `default:sync`.
         */
        post: operations["syncBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/default-integration/health": {
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
    "/default-integration/openapi.json": {
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
        CollaboratorResult: {
            /** @description Collaborators that were new. */
            created: number;
            /** @description Collaborators matched by e-mail and updated. */
            existing: number;
            /** @description One message per failed item: `Collaborator <external_id> (<email>): <reason>`. */
            errors: string[];
            /** @description Items received. */
            total: number;
        };
        ActivityResult: {
            /** @description Activities recorded. */
            processed: number;
            /** @description Activities whose collaborator is not registered. */
            skipped: number;
            /** @description Which ones, in the order of the batch. */
            skipped_items: components["schemas"]["SkippedItem"][];
            /** @description Activities whose external_id was already sent. */
            duplicates: number;
            /** @description Empty: an invalid activity refuses the whole request. */
            errors: string[];
            /** @description Items received. */
            total: number;
        };
        SkippedItem: {
            /** @description Its place in the batch, from 0. */
            index: number;
            external_id: string;
            /**
             * @description Why; more reasons may be added.
             * @enum {string}
             */
            reason: "collaborator_not_registered";
        };
        Meta: {
            /** @description Id of the request, the same as X-Request-Id. */
            request_id: string;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            timestamp: string;
        };
        Error: {
            error: {
                code: string;
                message: string;
                /** @description What is wrong, field by field; index is the place in the batch. */
                details?: {
                    index?: number;
                    field: string;
                    message: string;
                }[];
                /** @description Seconds to wait before the next try. */
                retry_after?: number;
            };
        };
        SyncRequest: {
            /** @enum {string} */
            action: "sync_collaborators";
            collaborators: components["schemas"]["Collaborator"][];
        } | {
            /** @enum {string} */
            action: "sync_activities";
            activities: components["schemas"]["Activity"][];
        };
        Collaborator: {
            /** @description Id in the caller's system. */
            external_id: string;
            /** @description Full name. */
            name: string;
            /**
             * Format: email
             * @description Matches collaborators and activities; compared without case.
             */
            email: string;
            /** @description Any format. */
            phone?: string | null;
            /** @description Identity document, for example a national tax id. */
            document?: string | null;
            /** @description Team name. */
            team?: string | null;
            /** @description Role in the caller's organisation. */
            role?: string | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole. */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        Activity: {
            /** @description 001 through 999. Admins decide which mission a code counts for. */
            activity_code: string;
            /** @description Deduplication key, unique per tenant. */
            external_id: string;
            /**
             * Format: email
             * @description E-mail of the collaborator who did the activity.
             */
            collaborator_email: string;
            /** @description Free-form context, at most 16 KiB. */
            data?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was done; the time of receipt when absent.
             */
            occurred_at?: string | null;
        };
    };
    responses: {
        /** @description A method other than GET. */
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
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    syncBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "sync_activities",
                 *       "activities": [
                 *         {
                 *           "activity_code": "001",
                 *           "external_id": "call-1",
                 *           "collaborator_email": "ana@example.com"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SyncRequest"];
            };
        };
        responses: {
            /** @description What became of the items. */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "processed": 1,
                     *         "skipped": 0,
                     *         "skipped_items": [],
                     *         "duplicates": 0,
                     *         "errors": [],
                     *         "total": 1
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000001",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["CollaboratorResult"] | components["schemas"]["ActivityResult"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description Invalid body, missing members or invalid activities; nothing was recorded. */
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
            /** @description The key or its signature is missing, invalid or expired. */
            401: {
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
            /** @description The key lacks the scope default:sync. */
            403: {
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
            405: {
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
            408: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The Idempotency-Key is in use. */
            409: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body exceeds 6 MiB. */
            413: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not JSON. */
            415: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The Idempotency-Key belongs to another request. */
            422: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key's hourly limit is reached, or too much of the caller's is under way at once. */
            429: {
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
            /** @description Internal error; retry with backoff (2 s, 4 s, 8 s). */
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
            /** @description The database cannot be reached. */
            503: {
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
            405: components["responses"]["Failure405"];
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
            405: components["responses"]["Failure405"];
        };
    };
}
