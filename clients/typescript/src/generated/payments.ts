// Made from docs/openapi/payments.json by `npm run clients`.
export interface paths {
    "/payments/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List invoices, newest first */
        get: operations["listInvoices"];
        put?: never;
        /** Issue an invoice */
        post: operations["createInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/invoices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an invoice */
        get: operations["getInvoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/invoices/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel an unpaid invoice */
        post: operations["cancelInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/invoices/{id}/tax-documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue a tax document */
        post: operations["requestTaxDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/invoices/{id}/tax-documents/{doc_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a tax document */
        get: operations["getTaxDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/invoices/{id}/tax-documents/{doc_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a tax document */
        post: operations["cancelTaxDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List payouts, newest first */
        get: operations["listPayouts"];
        put?: never;
        /** Pay out */
        post: operations["createPayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/payouts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a payout */
        get: operations["getPayout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/payouts/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel an international payout */
        post: operations["cancelPayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/balance-transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List ledger entries, newest first */
        get: operations["listBalanceTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/balance-transactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a ledger entry */
        get: operations["getBalanceTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the balance of each currency */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/sandbox/invoices/{id}/pay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Play the payer of an invoice (staging) */
        post: operations["payInSandbox"];
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
        Invoice: {
            id: string;
            /** @enum {string} */
            status: "open" | "paid" | "canceled" | "failed";
            /** @description Minor units. As requested. */
            amount: number;
            currency: string;
            region: string;
            customer: {
                country: string;
                tax_id?: string;
                name: string;
                email: string;
                phone?: string;
            };
            description: string;
            payment_method: {
                type: string;
                pix?: {
                    qr_code: string;
                    /** Format: uri */
                    qr_code_image_url: string;
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    expires_at: string;
                };
                boleto?: {
                    digitable_line: string;
                    barcode: string;
                    /** Format: uri */
                    pdf_url: string;
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    expires_at: string;
                };
                card?: {
                    /** Format: uri */
                    checkout_url: string;
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    expires_at: string;
                };
                ach_debit?: {
                    /** Format: uri */
                    checkout_url: string;
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    expires_at: string;
                };
                sepa_debit?: {
                    /** Format: uri */
                    checkout_url: string;
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    expires_at: string;
                };
                bank_transfer?: {
                    /** Format: uri */
                    checkout_url: string;
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    expires_at: string;
                };
            };
            tax_document: {
                id: string;
                type: string;
                status: string;
                auto_issue: boolean;
            } | null;
            cost_center: string | null;
            contractor_reference: string | null;
            our_number: string;
            metadata: {
                [key: string]: string;
            };
            /** @description Minor units. The provider took it; null until it is paid. */
            fee: number | null;
            /** @description Minor units. amount - fee; null until it is paid. */
            net: number | null;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            paid_at: string | null;
            /** @description Why it failed, if it has. */
            failure_reason: string | null;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            created: string;
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description Path of the request. */
            instance: string;
            /** @description What went wrong, for programs. */
            code: string;
            request_id: string;
            errors?: {
                field: string;
                message: string;
            }[];
            /**
             * @description There are more errors than these.
             * @enum {boolean}
             */
            details_truncated?: true;
            /** @description Of provider_error: whether the same request may yet succeed, with the same Idempotency-Key. */
            retryable?: boolean;
        };
        InvoiceRequest: {
            customer: {
                country: string;
                /** @description BR: CPF or CNPJ without punctuation; required with tax_document. */
                tax_id?: string | null;
                name: string;
                /** Format: email */
                email: string;
                /** @description E.164 recommended. */
                phone?: string | null;
            };
            /** @description Minor units: 12345 is 123.45. */
            amount: number;
            currency: string;
            /** @description Shown to the payer and in the fiscal document. */
            description: string;
            payment_method: {
                /** @enum {string} */
                type: "pix" | "boleto" | "bolepix" | "card" | "ach_debit" | "sepa_debit" | "bank_transfer";
                /** @description pix, boleto, bolepix: validity. Default one hour for pix, three days for the others. */
                expires_in_seconds?: number;
                /** @description Where the payer is sent after a checkout. */
                return_url?: string | null;
            };
            tax_document?: {
                auto_issue?: boolean | null;
                /** @enum {string|null} */
                type?: "nfse" | "nfe" | "peppol" | null;
                service_code?: string | null;
            } | null;
            /** @description Must be registered; the tenant's default when absent. */
            cost_center?: string | null;
            /** @description The caller's own reference. */
            contractor_reference?: string | null;
            /** @description At most 50 keys of at most 40 characters, values of at most 500. */
            metadata?: {
                [key: string]: string;
            };
        };
        CancelRequest: {
            /** @description Free text. */
            reason?: string | null;
        };
        TaxDocument: {
            id: string;
            invoice_id: string;
            type: string;
            /** @enum {string} */
            status: "pending" | "issued" | "failed" | "canceled";
            service_code: string;
            metadata: {
                [key: string]: string;
            };
            failure_reason?: string;
            /**
             * Format: date-time
             * @description Since when the city is asked to take it back, while it has not decided.
             */
            cancel_requested_at?: string;
            /** @description Why the city did not take it back, in its words. */
            cancel_error?: string;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            created: string;
            document_number?: string;
            /** Format: uri */
            xml_url?: string;
            /** Format: uri */
            pdf_url?: string;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            issued_at?: string;
        };
        TaxDocumentRequest: {
            /** @enum {string} */
            type: "nfse" | "nfe" | "peppol";
            /** @description Municipal service code; required for nfse. */
            service_code?: string | null;
            metadata?: {
                [key: string]: string;
            };
        };
        Payout: {
            id: string;
            /** @enum {string} */
            status: "created" | "incoming_payment_waiting" | "processing" | "paid" | "failed" | "canceled";
            /** @description Minor units. As requested. */
            amount: number;
            currency: string;
            region: string;
            beneficiary: {
                [key: string]: unknown;
            };
            purpose: string;
            provider: string;
            cost_center: string | null;
            contractor_reference: string | null;
            our_number: string;
            metadata: {
                [key: string]: string;
            };
            /** @description Why it failed, if it has. */
            failure_reason: string | null;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            created: string;
        };
        PayoutRequest: {
            beneficiary: {
                name: string;
                /** @description BR: CPF or CNPJ without punctuation. */
                document: string;
                phone: string;
                /**
                 * Format: email
                 * @description Receipts are sent there.
                 */
                email?: string;
                /**
                 * @description person when absent.
                 * @enum {string|null}
                 */
                type?: "person" | "business" | null;
                /** @description Some countries and currencies need it. */
                address?: {
                    line1?: string | null;
                    city?: string | null;
                    state?: string | null;
                    postal_code?: string | null;
                    country?: string | null;
                } | null;
                bank_account: {
                    /** @enum {string} */
                    type: "pix";
                    /** @enum {string} */
                    key_type: "cpf" | "cnpj" | "email" | "phone" | "evp";
                    key: string;
                } | {
                    /** @enum {string} */
                    type: "bank_transfer";
                    country: string;
                    iban?: string | null;
                    account_number?: string | null;
                    routing_number?: string | null;
                    /**
                     * @description checking when absent.
                     * @enum {string|null}
                     */
                    account_type?: "checking" | "savings" | null;
                    bic?: string | null;
                };
            };
            /** @description Minor units: 12345 is 123.45. */
            amount: number;
            currency: string;
            /** @enum {string} */
            purpose: "prize" | "commission" | "vendor_payment" | "other";
            /** @description Must be registered; the tenant's default when absent. */
            cost_center?: string | null;
            /** @description The caller's own reference. */
            contractor_reference?: string | null;
            /** @description At most 50 keys of at most 40 characters, values of at most 500. */
            metadata?: {
                [key: string]: string;
            };
        };
        BalanceTransaction: {
            id: string;
            /** @enum {string} */
            type: "charge" | "payout" | "fee" | "adjustment";
            /** @description Minor units. Money in is positive, money out negative. */
            amount: number;
            currency: string;
            /** @description Minor units. The provider took it. */
            fee: number;
            /** @description Minor units. amount - fee. */
            net: number;
            /** Format: date */
            available_on: string;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            created: string;
            source: {
                /** @enum {string} */
                resource: "invoice" | "payout";
                id: string;
            } | null;
            cost_center: string | null;
            our_number: string | null;
            contractor_reference: string | null;
            /** @description Why the balance was adjusted; null for other entries. */
            reason: string | null;
        };
        Balance: {
            data: {
                currency: string;
                /** @description Minor units. Net of the entries whose available_on has come in the tenant's time zone. */
                available: number;
                /** @description Minor units. Net of the entries that settle later. */
                pending: number;
            }[];
        };
    };
    responses: {
        /** @description Malformed JSON, or a required header is missing. */
        Failure400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key or its signature is missing, invalid or expired. */
        Failure401: {
            headers: {
                /** @description The scheme to authenticate with. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key lacks the scope. */
        Failure403: {
            headers: {
                /** @description The scheme to authenticate with. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unknown, or of another tenant. */
        Failure404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body did not come in time. */
        Failure408: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The state of the resource does not allow it, or the Idempotency-Key is in use or was used otherwise. */
        Failure409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body exceeds 6 MiB. */
        Failure413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not JSON. */
        Failure415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Invalid fields or parameters; a parameter that is given twice is. */
        Failure422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key's hourly limit is reached. */
        Failure429: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Internal error; retry with backoff. */
        Failure500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The region, currency or document is not live. */
        Failure501: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The provider refused, or failed: `retryable` says which. */
        Failure502: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Something that is needed cannot be reached; a POST is retried with the same key. */
        Failure503: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
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
    listInvoices: {
        parameters: {
            query?: {
                /** @description Default 20. */
                limit?: number;
                /** @description The page after this id. */
                starting_after?: string;
                /** @description The page before this id. */
                ending_before?: string;
                cost_center?: string;
                our_number?: string;
                contractor_reference?: string;
                /** @description A timestamp, or a date for its midnight UTC. */
                "created[gte]"?: string;
                "created[lte]"?: string;
                status?: "open" | "paid" | "canceled" | "failed";
                "payment_method.type"?: "pix" | "boleto" | "bolepix" | "card" | "ach_debit" | "sepa_debit" | "bank_transfer";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List invoices, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invoice"][];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createInvoice: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "idempotency-key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvoiceRequest"];
            };
        };
        responses: {
            /** @description Issue an invoice */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            501: components["responses"]["Failure501"];
            502: components["responses"]["Failure502"];
            503: components["responses"]["Failure503"];
        };
    };
    getInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an invoice */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    cancelInvoice: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "idempotency-key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelRequest"];
            };
        };
        responses: {
            /** @description Cancel an unpaid invoice */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            501: components["responses"]["Failure501"];
            502: components["responses"]["Failure502"];
            503: components["responses"]["Failure503"];
        };
    };
    requestTaxDocument: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "idempotency-key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaxDocumentRequest"];
            };
        };
        responses: {
            /** @description Issue a tax document */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaxDocument"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            501: components["responses"]["Failure501"];
            502: components["responses"]["Failure502"];
            503: components["responses"]["Failure503"];
        };
    };
    getTaxDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a tax document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaxDocument"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    cancelTaxDocument: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "idempotency-key": string;
            };
            path: {
                id: string;
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelRequest"];
            };
        };
        responses: {
            /** @description Cancel a tax document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaxDocument"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            501: components["responses"]["Failure501"];
            502: components["responses"]["Failure502"];
            503: components["responses"]["Failure503"];
        };
    };
    listPayouts: {
        parameters: {
            query?: {
                /** @description Default 20. */
                limit?: number;
                /** @description The page after this id. */
                starting_after?: string;
                /** @description The page before this id. */
                ending_before?: string;
                cost_center?: string;
                our_number?: string;
                contractor_reference?: string;
                /** @description A timestamp, or a date for its midnight UTC. */
                "created[gte]"?: string;
                "created[lte]"?: string;
                status?: "created" | "incoming_payment_waiting" | "processing" | "paid" | "failed" | "canceled";
                provider?: "sandbox" | "asaas" | "wise" | "stripe";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List payouts, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Payout"][];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createPayout: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "idempotency-key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayoutRequest"];
            };
        };
        responses: {
            /** @description Pay out */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payout"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            501: components["responses"]["Failure501"];
            502: components["responses"]["Failure502"];
            503: components["responses"]["Failure503"];
        };
    };
    getPayout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a payout */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payout"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    cancelPayout: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "idempotency-key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancel an international payout */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payout"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            501: components["responses"]["Failure501"];
            502: components["responses"]["Failure502"];
            503: components["responses"]["Failure503"];
        };
    };
    listBalanceTransactions: {
        parameters: {
            query?: {
                /** @description Default 20. */
                limit?: number;
                /** @description The page after this id. */
                starting_after?: string;
                /** @description The page before this id. */
                ending_before?: string;
                cost_center?: string;
                our_number?: string;
                contractor_reference?: string;
                /** @description A timestamp, or a date for its midnight UTC. */
                "created[gte]"?: string;
                "created[lte]"?: string;
                type?: "charge" | "payout" | "fee" | "adjustment";
                currency?: string;
                provider?: "sandbox" | "asaas" | "wise" | "stripe";
                /** @description A month of the tenant's time zone, YYYY-MM. */
                period?: string;
                "available_on[gte]"?: string;
                "available_on[lte]"?: string;
                /** @description Id of an invoice or a payout. */
                source?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List ledger entries, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["BalanceTransaction"][];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getBalanceTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a ledger entry */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BalanceTransaction"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getBalance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the balance of each currency */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    payInSandbox: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "idempotency-key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Play the payer of an invoice (staging) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            501: components["responses"]["Failure501"];
            502: components["responses"]["Failure502"];
            503: components["responses"]["Failure503"];
        };
    };
}
