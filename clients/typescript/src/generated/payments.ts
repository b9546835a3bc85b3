// Made from docs/openapi/payments.json by `npm run clients`.
export interface paths {
    "/payments/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invoices, newest first
         * @description Needs the scope `payments:read`.
         */
        get: operations["listInvoices"];
        put?: never;
        /**
         * Issue an invoice
         * @description Needs the scope `payments:write`.
         */
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
        /**
         * Get an invoice
         * @description Needs the scope `payments:read`.
         */
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
        /**
         * Cancel an unpaid invoice
         * @description Needs the scope `payments:write`.
         */
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
        /**
         * Issue a tax document
         * @description Needs the scope `payments:write`.
         */
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
        /**
         * Get a tax document
         * @description Needs the scope `payments:read`.
         */
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
        /**
         * Cancel a tax document
         * @description Needs the scope `payments:write`.
         */
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
        /**
         * List payouts, newest first
         * @description Needs the scope `payments:read`.
         */
        get: operations["listPayouts"];
        put?: never;
        /**
         * Pay out
         * @description Needs the scope `payments:write`.
         */
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
        /**
         * Get a payout
         * @description Needs the scope `payments:read`.
         */
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
        /**
         * Cancel an international payout
         * @description Needs the scope `payments:write`.
         */
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
        /**
         * List ledger entries, newest first
         * @description Needs the scope `payments:read`.
         */
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
        /**
         * Get a ledger entry
         * @description Needs the scope `payments:read`.
         */
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
        /**
         * Get the balance of each currency
         * @description Needs the scope `payments:read`.
         */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events in the order of the feed
         * @description What webhooks push, to be asked for: every event, in one order that all readers see. Keep `next_cursor` and ask after it. Without `after` it begins with the oldest that is kept. Needs the scope `payments:read`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks, newest first
         * @description Needs the scope `payments:read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description The answer has the secret, this one time. Needs the scope `payments:write`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Needs the scope `payments:read`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook with its log
         * @description Needs the scope `payments:write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Needs the scope `payments:write`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/payments/webhooks/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the keys that verify what a webhook is sent
         * @description Needs the scope `payments:read`.
         */
        get: operations["listWebhookKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have deliveries to a webhook wait
         * @description Those of events that happen meanwhile wait as well. What waits longer than 30 days is given up. Needs the scope `payments:write`.
         */
        post: operations["pauseWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send what waited for a paused webhook, and what comes
         * @description Needs the scope `payments:write`.
         */
        post: operations["resumeWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret
         * @description The answer has it, this one time. For 24 hours deliveries are signed with the old one as well. Needs the scope `payments:write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the event webhook.test to a webhook
         * @description Needs the scope `payments:write`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a webhook's deliveries again
         * @description Those of all events since a time, or those that failed, under the same ids. A matching event without a delivery gets one. Needs the scope `payments:write`.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks/{id}/replays/{replay_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how far a replay is
         * @description Needs the scope `payments:read`.
         */
        get: operations["getReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a webhook's deliveries, newest first
         * @description Needs the scope `payments:read`.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description Needs the scope `payments:read`.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/webhooks/{id}/deliveries/{delivery_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Needs the scope `payments:write`.
         */
        post: operations["replayDelivery"];
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
        /**
         * Play the payer of an invoice (staging)
         * @description Amounts decide how it ends: docs/sandbox.md. A body is taken and kept nowhere. Needs the scope `payments:write`.
         */
        post: operations["payInSandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payments/health": {
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
    "/payments/openapi.json": {
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
export interface webhooks {
    "invoice.paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An invoice was paid
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onInvoicePaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An invoice was canceled
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onInvoiceCanceled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An invoice failed or expired
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onInvoiceFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Money of a paid invoice went back
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onInvoiceRefunded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "invoice.disputed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The payer disputes a paid invoice
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onInvoiceDisputed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tax_document.issued": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A tax document was issued
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onTaxDocumentIssued"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tax_document.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A tax document could not be issued
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onTaxDocumentFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "tax_document.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A tax document was canceled
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onTaxDocumentCanceled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payout.paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payout arrived
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onPayoutPaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payout.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payout failed
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onPayoutFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payout.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payout was canceled
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onPayoutCanceled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test, to one webhook
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onWebhookTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
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
                expires_in_seconds?: number | null;
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
            } | null;
        };
        CancelRequest: {
            /** @description Free text. */
            reason?: string | null;
        };
        TaxDocumentRequest: {
            /** @enum {string} */
            type: "nfse" | "nfe" | "peppol";
            /** @description Municipal service code; required for nfse. */
            service_code?: string | null;
            metadata?: {
                [key: string]: string;
            } | null;
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
                email?: string | null;
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
            } | null;
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
        WebhookWithSecret: {
            /** Format: uuid */
            id: string;
            url: string;
            /** @description null: all that need not be named. */
            events: string[] | null;
            /** @description All hold for what is sent. */
            filters: {
                field: string;
                /** @enum {string} */
                op: "eq" | "ne" | "gt" | "lt" | "in" | "contains";
                value?: unknown;
            }[];
            /** @description Members of which one changed; empty for any. */
            changed: string[];
            ordered: boolean;
            fold_seconds: number | null;
            /** @description Names of its own headers; their values are never shown. */
            header_names: string[];
            description: string | null;
            active: boolean;
            /**
             * @description `paused`: what happens is kept for it, for 30 days, until it is resumed. `suspended`: it fails, and one delivery is tried after a while; when it arrives, the others follow. `deactivated`: `active` is false, and what happens is not kept.
             * @enum {string}
             */
            status: "active" | "paused" | "suspended" | "deactivated";
            /** @description Verifies `v1a` of `webhook-signature` (Ed25519), with a secret and without: `whpk_` and 32 bytes in base64. null for one that was made in Studio until it is first sent something. */
            public_key: string | null;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            updated_at: string;
            /** @description Signs deliveries. In the first answer alone: a replay by its Idempotency-Key is without. */
            secret?: string;
        };
        NewWebhook: {
            /** @description HTTPS, without credentials. */
            url: string;
            /** @description All must hold, as the conditions of automations: `{"field": "source", "op": "eq", "value": "website"}`. In the names that its deliveries have. */
            filters?: {
                /** @description A member of `data`, or a path with dots into one. */
                field: string;
                /** @enum {string} */
                op: "eq" | "ne" | "gt" | "lt" | "in" | "contains";
                value: string | number | boolean | unknown[] | Record<string, never> | null;
            }[] | null;
            /** @description One of these members must have changed. Events of what was made or deleted are sent anyway. */
            changed?: string[] | null;
            /** @description Headers that its deliveries carry, by name. Kept like a secret and never shown; all of them are replaced, and a new `url` without `headers` takes them away. */
            headers?: {
                [key: string]: string;
            } | null;
            /** @description Sends events of one record in their order: each when those before it were delivered or given up. */
            ordered?: boolean;
            /** @description Folds events of one record and one type that happen within so many seconds of the first into one delivery, at the end of that time: the last event, with what any of them changed. null for a delivery each. */
            fold_seconds?: number | null;
            description?: string | null;
            /** @description true when absent. */
            active?: boolean;
            /** @description null, or absent in a new one: all but `invoice.refunded` and `invoice.disputed`, which have to be named. */
            events?: ("invoice.paid" | "invoice.canceled" | "invoice.failed" | "invoice.refunded" | "invoice.disputed" | "tax_document.issued" | "tax_document.failed" | "tax_document.canceled" | "payout.paid" | "payout.failed" | "payout.canceled")[] | null;
        };
        Webhook: {
            /** Format: uuid */
            id: string;
            url: string;
            /** @description null: all that need not be named. */
            events: string[] | null;
            /** @description All hold for what is sent. */
            filters: {
                field: string;
                /** @enum {string} */
                op: "eq" | "ne" | "gt" | "lt" | "in" | "contains";
                value?: unknown;
            }[];
            /** @description Members of which one changed; empty for any. */
            changed: string[];
            ordered: boolean;
            fold_seconds: number | null;
            /** @description Names of its own headers; their values are never shown. */
            header_names: string[];
            description: string | null;
            active: boolean;
            /**
             * @description `paused`: what happens is kept for it, for 30 days, until it is resumed. `suspended`: it fails, and one delivery is tried after a while; when it arrives, the others follow. `deactivated`: `active` is false, and what happens is not kept.
             * @enum {string}
             */
            status: "active" | "paused" | "suspended" | "deactivated";
            /** @description Verifies `v1a` of `webhook-signature` (Ed25519), with a secret and without: `whpk_` and 32 bytes in base64. null for one that was made in Studio until it is first sent something. */
            public_key: string | null;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            updated_at: string;
        };
        /** @description A JSON Web Key Set (RFC 7517, RFC 8037). */
        KeySet: {
            keys: {
                /** @enum {string} */
                kty: "OKP";
                /** @enum {string} */
                crv: "Ed25519";
                /** @description The key, in base64url. */
                x: string;
                /** @enum {string} */
                use: "sig";
                /** @enum {string} */
                alg: "EdDSA";
                /** @description Its thumbprint. */
                kid: string;
            }[];
        };
        /** @description `active: true` also forgets earlier failures. */
        WebhookChange: {
            /** @description HTTPS, without credentials. */
            url?: string;
            /** @description All must hold, as the conditions of automations: `{"field": "source", "op": "eq", "value": "website"}`. In the names that its deliveries have. */
            filters?: {
                /** @description A member of `data`, or a path with dots into one. */
                field: string;
                /** @enum {string} */
                op: "eq" | "ne" | "gt" | "lt" | "in" | "contains";
                value: string | number | boolean | unknown[] | Record<string, never> | null;
            }[] | null;
            /** @description One of these members must have changed. Events of what was made or deleted are sent anyway. */
            changed?: string[] | null;
            /** @description Headers that its deliveries carry, by name. Kept like a secret and never shown; all of them are replaced, and a new `url` without `headers` takes them away. */
            headers?: {
                [key: string]: string;
            } | null;
            /** @description Sends events of one record in their order: each when those before it were delivered or given up. */
            ordered?: boolean;
            /** @description Folds events of one record and one type that happen within so many seconds of the first into one delivery, at the end of that time: the last event, with what any of them changed. null for a delivery each. */
            fold_seconds?: number | null;
            description?: string | null;
            /** @description true when absent. */
            active?: boolean;
            events?: ("invoice.paid" | "invoice.canceled" | "invoice.failed" | "invoice.refunded" | "invoice.disputed" | "tax_document.issued" | "tax_document.failed" | "tax_document.canceled" | "payout.paid" | "payout.failed" | "payout.canceled")[] | null;
        };
        Replay: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "running" | "done";
            /** @description Deliveries that are sent again. */
            total: number;
            /** @description Those of them that were tried since, or given up. */
            sent: number;
        };
        /** @description `since`, or `failed: true`, or both. */
        ReplayRequest: {
            /**
             * Format: date-time
             * @description All events from then on that match the webhook and are kept.
             */
            since?: string;
            /** @description true: only deliveries that failed, with `since` those of events from then on. */
            failed?: boolean;
        };
        Delivery: {
            id: string;
            event_id: string;
            event_type: string;
            payload: {
                [key: string]: unknown;
            };
            response_status: number | null;
            response_time_ms: number | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            success: boolean;
            /** @description Why it is not delivered; null when it is, and before the first attempt. */
            error: string | null;
            /** @description The first KiB of the last answer; null without one. */
            response_excerpt: string | null;
            /** @description The last 20, in their order. */
            attempts: {
                /**
                 * Format: date-time
                 * @description UTC, with milliseconds.
                 */
                at: string;
                /** @description HTTP status; null when there was no answer. */
                status: number | null;
                error: string | null;
                duration_ms: number;
            }[];
            retry_count: number;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with milliseconds.
             */
            next_attempt_at: string | null;
        };
    };
    responses: {
        /** @description Malformed JSON, or a required header is missing. */
        Failure400: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key or its signature is missing, invalid or expired. */
        Failure401: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description The scheme to authenticate with. */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key lacks the scope. */
        Failure403: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description The scheme to authenticate with. */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unknown, or of another tenant. */
        Failure404: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The state of the resource does not allow it, or the Idempotency-Key is in use or was used otherwise. */
        Failure409: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body exceeds 6 MiB. */
        Failure413: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not JSON. */
        Failure415: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Invalid fields or parameters; a parameter that is given twice is. */
        Failure422: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key's hourly limit is reached. */
        Failure429: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Seconds to wait. */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
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
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The region, currency or document is not live. */
        Failure501: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The provider refused, or failed: `retryable` says which. */
        Failure502: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Something that is needed cannot be reached; a POST is retried with the same key. */
        Failure503: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Seconds to wait. */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Unknown, or of another tenant. */
        Failure404b: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Invalid fields or parameters; a parameter that is given twice is. */
        Failure422b: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
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
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "inv_01kdvc2v0me5rtj6wm00000001",
                     *           "status": "open",
                     *           "amount": 10000,
                     *           "currency": "BRL",
                     *           "region": "br",
                     *           "customer": {
                     *             "name": "Maria Silva",
                     *             "email": "maria@example.com",
                     *             "tax_id": "52998224725",
                     *             "country": "BR"
                     *           },
                     *           "description": "Consulta – José",
                     *           "payment_method": {
                     *             "type": "pix",
                     *             "pix": {
                     *               "qr_code": "00020101021226650014br.gov.bcb.pix2543sandbox.placar.dev/pix/sbx_01kdvc2v0me5rtj6wm00000002.005802BR5914PLACAR SANDBOX6009SAO PAULO62070503***6304A30C",
                     *               "qr_code_image_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/qr.svg",
                     *               "expires_at": "2026-03-02T14:05:09.123Z"
                     *             }
                     *           },
                     *           "tax_document": null,
                     *           "cost_center": null,
                     *           "contractor_reference": "order-42",
                     *           "metadata": {},
                     *           "our_number": "INV-2026-000001",
                     *           "fee": null,
                     *           "net": null,
                     *           "paid_at": null,
                     *           "failure_reason": null,
                     *           "created": "2026-03-02T14:05:09.123Z"
                     *         }
                     *       ],
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Invoice"][];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
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
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customer": {
                 *         "country": "BR",
                 *         "tax_id": "52998224725",
                 *         "name": "Maria Silva",
                 *         "email": "maria@example.com"
                 *       },
                 *       "amount": 10000,
                 *       "currency": "BRL",
                 *       "description": "Consulta – José",
                 *       "payment_method": {
                 *         "type": "pix"
                 *       },
                 *       "contractor_reference": "order-42"
                 *     }
                 */
                "application/json": components["schemas"]["InvoiceRequest"];
            };
        };
        responses: {
            /** @description Issue an invoice */
            201: {
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
                     *       "id": "inv_01kdvc2v0me5rtj6wm00000001",
                     *       "status": "open",
                     *       "amount": 10000,
                     *       "currency": "BRL",
                     *       "region": "br",
                     *       "customer": {
                     *         "name": "Maria Silva",
                     *         "email": "maria@example.com",
                     *         "tax_id": "52998224725",
                     *         "country": "BR"
                     *       },
                     *       "description": "Consulta – José",
                     *       "payment_method": {
                     *         "type": "pix",
                     *         "pix": {
                     *           "qr_code": "00020101021226650014br.gov.bcb.pix2543sandbox.placar.dev/pix/sbx_01kdvc2v0me5rtj6wm00000002.005802BR5914PLACAR SANDBOX6009SAO PAULO62070503***6304A30C",
                     *           "qr_code_image_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/qr.svg",
                     *           "expires_at": "2026-03-02T14:05:09.123Z"
                     *         }
                     *       },
                     *       "tax_document": null,
                     *       "cost_center": null,
                     *       "contractor_reference": "order-42",
                     *       "metadata": {},
                     *       "our_number": "INV-2026-000001",
                     *       "fee": null,
                     *       "net": null,
                     *       "paid_at": null,
                     *       "failure_reason": null,
                     *       "created": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
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
                /** @description Such as `inv_` or `pay_` and what follows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an invoice */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "inv_01kdvc2v0me5rtj6wm00000001",
                     *       "status": "open",
                     *       "amount": 10000,
                     *       "currency": "BRL",
                     *       "region": "br",
                     *       "customer": {
                     *         "name": "Maria Silva",
                     *         "email": "maria@example.com",
                     *         "tax_id": "52998224725",
                     *         "country": "BR"
                     *       },
                     *       "description": "Consulta – José",
                     *       "payment_method": {
                     *         "type": "pix",
                     *         "pix": {
                     *           "qr_code": "00020101021226650014br.gov.bcb.pix2543sandbox.placar.dev/pix/sbx_01kdvc2v0me5rtj6wm00000002.005802BR5914PLACAR SANDBOX6009SAO PAULO62070503***6304A30C",
                     *           "qr_code_image_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/qr.svg",
                     *           "expires_at": "2026-03-02T14:05:09.123Z"
                     *         }
                     *       },
                     *       "tax_document": null,
                     *       "cost_center": null,
                     *       "contractor_reference": "order-42",
                     *       "metadata": {},
                     *       "our_number": "INV-2026-000001",
                     *       "fee": null,
                     *       "net": null,
                     *       "paid_at": null,
                     *       "failure_reason": null,
                     *       "created": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
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
                "Idempotency-Key": string;
            };
            path: {
                /** @description Such as `inv_` or `pay_` and what follows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ordered twice"
                 *     }
                 */
                "application/json": components["schemas"]["CancelRequest"];
            };
        };
        responses: {
            /** @description Cancel an unpaid invoice */
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
                     *       "id": "inv_01kdvc2v0me5rtj6wm00000004",
                     *       "status": "canceled",
                     *       "amount": 10000,
                     *       "currency": "BRL",
                     *       "region": "br",
                     *       "customer": {
                     *         "name": "Maria Silva",
                     *         "email": "maria@example.com",
                     *         "tax_id": "52998224725",
                     *         "country": "BR"
                     *       },
                     *       "description": "Consulta – José",
                     *       "payment_method": {
                     *         "type": "pix",
                     *         "pix": {
                     *           "qr_code": "00020101021226650014br.gov.bcb.pix2543sandbox.placar.dev/pix/sbx_01kdvc2v0me5rtj6wm00000005.005802BR5914PLACAR SANDBOX6009SAO PAULO62070503***63041A55",
                     *           "qr_code_image_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/qr.svg",
                     *           "expires_at": "2026-03-02T14:05:09.123Z"
                     *         }
                     *       },
                     *       "tax_document": null,
                     *       "cost_center": null,
                     *       "contractor_reference": null,
                     *       "metadata": {},
                     *       "our_number": "INV-2026-000002",
                     *       "fee": null,
                     *       "net": null,
                     *       "paid_at": null,
                     *       "failure_reason": null,
                     *       "created": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
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
                "Idempotency-Key": string;
            };
            path: {
                /** @description Such as `inv_` or `pay_` and what follows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "nfse",
                 *       "service_code": "01.07"
                 *     }
                 */
                "application/json": components["schemas"]["TaxDocumentRequest"];
            };
        };
        responses: {
            /** @description Issue a tax document */
            202: {
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
                     *       "id": "txd_01kdvc2v0me5rtj6wm00000003",
                     *       "invoice_id": "inv_01kdvc2v0me5rtj6wm00000001",
                     *       "type": "nfse",
                     *       "status": "pending",
                     *       "service_code": "01.07",
                     *       "metadata": {},
                     *       "created": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
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
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "txd_01kdvc2v0me5rtj6wm00000003",
                     *       "invoice_id": "inv_01kdvc2v0me5rtj6wm00000001",
                     *       "type": "nfse",
                     *       "status": "issued",
                     *       "service_code": "01.07",
                     *       "metadata": {},
                     *       "created": "2026-03-02T14:05:09.123Z",
                     *       "document_number": "1",
                     *       "xml_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/nfse.xml",
                     *       "pdf_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/nfse.pdf",
                     *       "issued_at": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["TaxDocument"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
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
                "Idempotency-Key": string;
            };
            path: {
                id: string;
                doc_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Wrong service"
                 *     }
                 */
                "application/json": components["schemas"]["CancelRequest"];
            };
        };
        responses: {
            /** @description Cancel a tax document */
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
                     *       "id": "txd_01kdvc2v0me5rtj6wm00000003",
                     *       "invoice_id": "inv_01kdvc2v0me5rtj6wm00000001",
                     *       "type": "nfse",
                     *       "status": "canceled",
                     *       "service_code": "01.07",
                     *       "metadata": {},
                     *       "created": "2026-03-02T14:05:09.123Z",
                     *       "document_number": "1",
                     *       "xml_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/nfse.xml",
                     *       "pdf_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/nfse.pdf",
                     *       "issued_at": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
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
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "po_01kdvc2v0me5rtj6wm00000006",
                     *           "status": "paid",
                     *           "amount": 5000,
                     *           "currency": "BRL",
                     *           "region": "br",
                     *           "beneficiary": {
                     *             "name": "Ana Souza",
                     *             "phone": "+5511987654321",
                     *             "document": "39053344705",
                     *             "bank_account": {
                     *               "key": "ana@example.com",
                     *               "type": "pix",
                     *               "key_type": "email"
                     *             }
                     *           },
                     *           "purpose": "prize",
                     *           "provider": "sandbox",
                     *           "cost_center": null,
                     *           "our_number": "PO-2026-000001",
                     *           "contractor_reference": null,
                     *           "metadata": {},
                     *           "failure_reason": null,
                     *           "created": "2026-03-02T14:05:09.123Z"
                     *         }
                     *       ],
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Payout"][];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
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
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "beneficiary": {
                 *         "name": "Ana Souza",
                 *         "document": "39053344705",
                 *         "phone": "+5511987654321",
                 *         "bank_account": {
                 *           "type": "pix",
                 *           "key_type": "email",
                 *           "key": "ana@example.com"
                 *         }
                 *       },
                 *       "amount": 5000,
                 *       "currency": "BRL",
                 *       "purpose": "prize"
                 *     }
                 */
                "application/json": components["schemas"]["PayoutRequest"];
            };
        };
        responses: {
            /** @description Pay out */
            201: {
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
                     *       "id": "po_01kdvc2v0me5rtj6wm00000006",
                     *       "status": "processing",
                     *       "amount": 5000,
                     *       "currency": "BRL",
                     *       "region": "br",
                     *       "beneficiary": {
                     *         "name": "Ana Souza",
                     *         "phone": "+5511987654321",
                     *         "document": "39053344705",
                     *         "bank_account": {
                     *           "key": "ana@example.com",
                     *           "type": "pix",
                     *           "key_type": "email"
                     *         }
                     *       },
                     *       "purpose": "prize",
                     *       "provider": "sandbox",
                     *       "cost_center": null,
                     *       "our_number": "PO-2026-000001",
                     *       "contractor_reference": null,
                     *       "metadata": {},
                     *       "failure_reason": null,
                     *       "created": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
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
                /** @description Such as `inv_` or `pay_` and what follows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a payout */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "po_01kdvc2v0me5rtj6wm00000006",
                     *       "status": "paid",
                     *       "amount": 5000,
                     *       "currency": "BRL",
                     *       "region": "br",
                     *       "beneficiary": {
                     *         "name": "Ana Souza",
                     *         "phone": "+5511987654321",
                     *         "document": "39053344705",
                     *         "bank_account": {
                     *           "key": "ana@example.com",
                     *           "type": "pix",
                     *           "key_type": "email"
                     *         }
                     *       },
                     *       "purpose": "prize",
                     *       "provider": "sandbox",
                     *       "cost_center": null,
                     *       "our_number": "PO-2026-000001",
                     *       "contractor_reference": null,
                     *       "metadata": {},
                     *       "failure_reason": null,
                     *       "created": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Payout"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
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
                "Idempotency-Key": string;
            };
            path: {
                /** @description Such as `inv_` or `pay_` and what follows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Not needed"
                 *     }
                 */
                "application/json": components["schemas"]["CancelRequest"];
            };
        };
        responses: {
            /** @description Cancel an international payout */
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
                     *       "id": "po_01kdvc2v0me5rtj6wm00000007",
                     *       "status": "canceled",
                     *       "amount": 5000,
                     *       "currency": "EUR",
                     *       "region": "eu",
                     *       "beneficiary": {
                     *         "name": "Ann Lee",
                     *         "phone": "+4915112345678",
                     *         "document": "X1234567",
                     *         "bank_account": {
                     *           "iban": "DE89370400440532013000",
                     *           "type": "bank_transfer",
                     *           "country": "DE"
                     *         }
                     *       },
                     *       "purpose": "commission",
                     *       "provider": "sandbox",
                     *       "cost_center": null,
                     *       "our_number": "PO-2026-000002",
                     *       "contractor_reference": null,
                     *       "metadata": {},
                     *       "failure_reason": null,
                     *       "created": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
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
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "btxn_01kdvc2v0me5rtj6wm00000008",
                     *           "type": "payout",
                     *           "amount": -5000,
                     *           "currency": "BRL",
                     *           "fee": 50,
                     *           "net": -5050,
                     *           "available_on": "2026-11-22",
                     *           "created": "2026-03-02T14:05:09.123Z",
                     *           "source": {
                     *             "resource": "payout",
                     *             "id": "po_01kdvc2v0me5rtj6wm00000006"
                     *           },
                     *           "cost_center": null,
                     *           "our_number": "PO-2026-000001",
                     *           "contractor_reference": null,
                     *           "reason": null
                     *         },
                     *         {
                     *           "id": "btxn_01kdvc2v0me5rtj6wm00000009",
                     *           "type": "charge",
                     *           "amount": 10000,
                     *           "currency": "BRL",
                     *           "fee": 100,
                     *           "net": 9900,
                     *           "available_on": "2026-11-22",
                     *           "created": "2026-03-02T14:05:09.123Z",
                     *           "source": {
                     *             "resource": "invoice",
                     *             "id": "inv_01kdvc2v0me5rtj6wm00000001"
                     *           },
                     *           "cost_center": null,
                     *           "our_number": "INV-2026-000001",
                     *           "contractor_reference": "order-42",
                     *           "reason": null
                     *         }
                     *       ],
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["BalanceTransaction"][];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
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
                /** @description Such as `inv_` or `pay_` and what follows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a ledger entry */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "btxn_01kdvc2v0me5rtj6wm00000008",
                     *       "type": "payout",
                     *       "amount": -5000,
                     *       "currency": "BRL",
                     *       "fee": 50,
                     *       "net": -5050,
                     *       "available_on": "2026-11-22",
                     *       "created": "2026-03-02T14:05:09.123Z",
                     *       "source": {
                     *         "resource": "payout",
                     *         "id": "po_01kdvc2v0me5rtj6wm00000006"
                     *       },
                     *       "cost_center": null,
                     *       "our_number": "PO-2026-000001",
                     *       "contractor_reference": null,
                     *       "reason": null
                     *     }
                     */
                    "application/json": components["schemas"]["BalanceTransaction"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
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
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "pending": 0,
                     *           "currency": "BRL",
                     *           "available": 4850
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Balance"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description A cursor of this feed; `now` for its present end. The oldest event that is kept when absent. */
                after?: string;
                /** @description Types with commas between them; all when absent. */
                types?: string;
                /** @description 100 when absent. */
                limit?: number;
                /** @description Seconds to wait for an event where there is none; 0 when absent. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List events in the order of the feed */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "evt_01kdvc2v0me5rtj6wm00000010",
                     *           "type": "invoice.paid",
                     *           "created_at": "2026-03-02T14:05:09.123Z",
                     *           "data": {
                     *             "id": "inv_01kdvc2v0me5rtj6wm00000001",
                     *             "status": "paid",
                     *             "amount": 10000,
                     *             "currency": "BRL",
                     *             "region": "br",
                     *             "customer": {
                     *               "name": "Maria Silva",
                     *               "email": "maria@example.com",
                     *               "tax_id": "52998224725",
                     *               "country": "BR"
                     *             },
                     *             "description": "Consulta – José",
                     *             "payment_method": {
                     *               "type": "pix",
                     *               "pix": {
                     *                 "qr_code": "00020101021226650014br.gov.bcb.pix2543sandbox.placar.dev/pix/sbx_01kdvc2v0me5rtj6wm00000002.005802BR5914PLACAR SANDBOX6009SAO PAULO62070503***6304A30C",
                     *                 "qr_code_image_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/qr.svg",
                     *                 "expires_at": "2026-03-02T14:05:09.123Z"
                     *               }
                     *             },
                     *             "tax_document": null,
                     *             "cost_center": null,
                     *             "contractor_reference": "order-42",
                     *             "metadata": {},
                     *             "our_number": "INV-2026-000001",
                     *             "fee": 100,
                     *             "net": 9900,
                     *             "paid_at": "2026-03-02T14:05:09.123Z",
                     *             "failure_reason": null,
                     *             "created": "2026-03-02T14:05:09.123Z"
                     *           },
                     *           "changed": [
                     *             "fee",
                     *             "net",
                     *             "paid_at",
                     *             "status"
                     *           ],
                     *           "silent": false,
                     *           "cursor": "AAAAAAABh32jpMMqQ5_M"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "next_cursor": "AAAAAAAGCKpcU8rZap2K"
                     *     }
                     */
                    "application/json": {
                        data: ({
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "invoice.paid";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Invoice"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "invoice.canceled";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Invoice"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "invoice.failed";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Invoice"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "invoice.refunded";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Invoice"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "invoice.disputed";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Invoice"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "tax_document.issued";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["TaxDocument"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "tax_document.failed";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["TaxDocument"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "tax_document.canceled";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["TaxDocument"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "payout.paid";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Payout"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "payout.failed";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Payout"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "payout.canceled";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Payout"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "webhook.test";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: {
                                /** Format: uuid */
                                webhook_id: string;
                            };
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description As the change that caused it named itself, if it did. */
                            origin?: string;
                        })[];
                        has_more: boolean;
                        /** @description Always given: go on after it. */
                        next_cursor: string;
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            /** @description Events after this cursor are no longer kept. */
            410: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Default 20. */
                limit?: number;
                /** @description The page after this id. */
                starting_after?: string;
                /** @description The page before this id. */
                ending_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List webhooks, newest first */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012",
                     *           "url": "http://127.0.0.1:54321/inbox/payments/5a1c0e7e-52f5-4c5c-9f6e-000000000011",
                     *           "events": [
                     *             "invoice.paid",
                     *             "payout.paid"
                     *           ],
                     *           "filters": [],
                     *           "changed": [],
                     *           "header_names": [],
                     *           "ordered": false,
                     *           "fold_seconds": null,
                     *           "description": null,
                     *           "active": true,
                     *           "status": "active",
                     *           "public_key": "whpk_ewuz0PofDpAPSRaGX7SfSYa2uaFR5siXDJho9KQ6KoA=",
                     *           "created_at": "2026-03-02T14:05:09.123Z",
                     *           "updated_at": "2026-03-02T14:05:09.123Z"
                     *         }
                     *       ],
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "http://127.0.0.1:54321/inbox/payments/5a1c0e7e-52f5-4c5c-9f6e-000000000011",
                 *       "events": [
                 *         "invoice.paid",
                 *         "payout.paid"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description Create a webhook */
            201: {
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
                     *       "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012",
                     *       "url": "http://127.0.0.1:54321/inbox/payments/5a1c0e7e-52f5-4c5c-9f6e-000000000011",
                     *       "events": [
                     *         "invoice.paid",
                     *         "payout.paid"
                     *       ],
                     *       "filters": [],
                     *       "changed": [],
                     *       "header_names": [],
                     *       "ordered": false,
                     *       "fold_seconds": null,
                     *       "description": null,
                     *       "active": true,
                     *       "status": "active",
                     *       "public_key": "whpk_ewuz0PofDpAPSRaGX7SfSYa2uaFR5siXDJho9KQ6KoA=",
                     *       "created_at": "2026-03-02T14:05:09.123Z",
                     *       "updated_at": "2026-03-02T14:05:09.123Z",
                     *       "secret": "whsec_80wIG9ggeYBz8kzycTQRqpFfKgYgLtxJ"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
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
    getWebhook: {
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
            /** @description Get a webhook */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012",
                     *       "url": "http://127.0.0.1:54321/inbox/payments/5a1c0e7e-52f5-4c5c-9f6e-000000000011",
                     *       "events": [
                     *         "invoice.paid",
                     *         "payout.paid"
                     *       ],
                     *       "filters": [],
                     *       "changed": [],
                     *       "header_names": [],
                     *       "ordered": false,
                     *       "fold_seconds": null,
                     *       "description": null,
                     *       "active": true,
                     *       "status": "active",
                     *       "public_key": "whpk_ewuz0PofDpAPSRaGX7SfSYa2uaFR5siXDJho9KQ6KoA=",
                     *       "created_at": "2026-03-02T14:05:09.123Z",
                     *       "updated_at": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    deleteWebhook: {
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
            /** @description Delete a webhook with its log */
            204: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Bookkeeping",
                 *       "events": null,
                 *       "filters": [
                 *         {
                 *           "field": "amount",
                 *           "op": "gt",
                 *           "value": 100000
                 *         }
                 *       ],
                 *       "headers": {
                 *         "X-Token": "of the receiver"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WebhookChange"];
            };
        };
        responses: {
            /** @description Change a webhook */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012",
                     *       "url": "http://127.0.0.1:54321/inbox/payments/5a1c0e7e-52f5-4c5c-9f6e-000000000011",
                     *       "events": null,
                     *       "filters": [
                     *         {
                     *           "op": "gt",
                     *           "field": "amount",
                     *           "value": 100000
                     *         }
                     *       ],
                     *       "changed": [],
                     *       "header_names": [
                     *         "X-Token"
                     *       ],
                     *       "ordered": false,
                     *       "fold_seconds": null,
                     *       "description": "Bookkeeping",
                     *       "active": true,
                     *       "status": "active",
                     *       "public_key": "whpk_ewuz0PofDpAPSRaGX7SfSYa2uaFR5siXDJho9KQ6KoA=",
                     *       "created_at": "2026-03-02T14:05:09.123Z",
                     *       "updated_at": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            /** @description The state of the resource does not allow it, or the Idempotency-Key is in use or was used otherwise. */
            409: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listWebhookKeys: {
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
            /** @description Get the keys that verify what a webhook is sent */
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
                     *           "kty": "OKP",
                     *           "crv": "Ed25519",
                     *           "x": "ewuz0PofDpAPSRaGX7SfSYa2uaFR5siXDJho9KQ6KoA",
                     *           "use": "sig",
                     *           "alg": "EdDSA",
                     *           "kid": "23SiNKE-WaaKjqZjbrfQYG32cVCb_AaQzBD-oSDqWRA"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["KeySet"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    pauseWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "Idempotency-Key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Have deliveries to a webhook wait */
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
                     *       "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012",
                     *       "url": "http://127.0.0.1:54321/inbox/payments/5a1c0e7e-52f5-4c5c-9f6e-000000000011",
                     *       "events": [
                     *         "invoice.paid",
                     *         "payout.paid"
                     *       ],
                     *       "filters": [],
                     *       "changed": [],
                     *       "header_names": [],
                     *       "ordered": false,
                     *       "fold_seconds": null,
                     *       "description": null,
                     *       "active": true,
                     *       "status": "paused",
                     *       "public_key": "whpk_ewuz0PofDpAPSRaGX7SfSYa2uaFR5siXDJho9KQ6KoA=",
                     *       "created_at": "2026-03-02T14:05:09.123Z",
                     *       "updated_at": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
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
    resumeWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "Idempotency-Key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send what waited for a paused webhook, and what comes */
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
                     *       "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012",
                     *       "url": "http://127.0.0.1:54321/inbox/payments/5a1c0e7e-52f5-4c5c-9f6e-000000000011",
                     *       "events": [
                     *         "invoice.paid",
                     *         "payout.paid"
                     *       ],
                     *       "filters": [],
                     *       "changed": [],
                     *       "header_names": [],
                     *       "ordered": false,
                     *       "fold_seconds": null,
                     *       "description": null,
                     *       "active": true,
                     *       "status": "active",
                     *       "public_key": "whpk_ewuz0PofDpAPSRaGX7SfSYa2uaFR5siXDJho9KQ6KoA=",
                     *       "created_at": "2026-03-02T14:05:09.123Z",
                     *       "updated_at": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
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
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "Idempotency-Key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Give a webhook a new secret */
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
                     *       "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012",
                     *       "url": "http://127.0.0.1:54321/inbox/payments/5a1c0e7e-52f5-4c5c-9f6e-000000000011",
                     *       "events": [
                     *         "invoice.paid",
                     *         "payout.paid"
                     *       ],
                     *       "filters": [],
                     *       "changed": [],
                     *       "header_names": [],
                     *       "ordered": false,
                     *       "fold_seconds": null,
                     *       "description": null,
                     *       "active": true,
                     *       "status": "active",
                     *       "public_key": "whpk_ewuz0PofDpAPSRaGX7SfSYa2uaFR5siXDJho9KQ6KoA=",
                     *       "created_at": "2026-03-02T14:05:09.123Z",
                     *       "updated_at": "2026-03-02T14:05:09.123Z",
                     *       "secret": "whsec_Lw40QPNctbalY4sbP7N2ckSMMJYfzcWl"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookWithSecret"];
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
    testWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "Idempotency-Key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send the event webhook.test to a webhook */
            202: {
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
                     *       "event_id": "evt_01kdvc2v0me5rtj6wm00000013",
                     *       "delivery_id": "whd_01kdvc2v0me5rtj6wm00000014"
                     *     }
                     */
                    "application/json": {
                        event_id: string;
                        delivery_id: string;
                    };
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
    replayWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "Idempotency-Key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-01-01T00:00:00Z",
                 *       "failed": true
                 *     }
                 */
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description Send a webhook's deliveries again */
            202: {
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
                     *       "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *       "sent": 0,
                     *       "total": 0,
                     *       "status": "done"
                     *     }
                     */
                    "application/json": components["schemas"]["Replay"];
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
    getReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                replay_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description See how far a replay is */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *       "sent": 0,
                     *       "total": 0,
                     *       "status": "done"
                     *     }
                     */
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Default 20. */
                limit?: number;
                /** @description The page after this id. */
                starting_after?: string;
                /** @description The page before this id. */
                ending_before?: string;
                status?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List a webhook's deliveries, newest first */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "whd_01kdvc2v0me5rtj6wm00000014",
                     *           "event_id": "evt_01kdvc2v0me5rtj6wm00000013",
                     *           "event_type": "webhook.test",
                     *           "payload": {
                     *             "id": "evt_01kdvc2v0me5rtj6wm00000013",
                     *             "type": "webhook.test",
                     *             "created_at": "2026-03-02T14:05:09.123Z",
                     *             "data": {
                     *               "webhook_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012"
                     *             }
                     *           },
                     *           "response_status": 200,
                     *           "response_time_ms": 8,
                     *           "status": "delivered",
                     *           "success": true,
                     *           "error": null,
                     *           "response_excerpt": "{\"received\":true}",
                     *           "attempts": [
                     *             {
                     *               "at": "2026-03-02T14:05:09.123Z",
                     *               "error": null,
                     *               "status": 200,
                     *               "duration_ms": 8
                     *             }
                     *           ],
                     *           "retry_count": 0,
                     *           "created_at": "2026-03-02T14:05:09.123Z",
                     *           "next_attempt_at": null
                     *         }
                     *       ],
                     *       "has_more": false
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        has_more: boolean;
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                /** @description Such as `whd_` and what follows. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a delivery */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "whd_01kdvc2v0me5rtj6wm00000014",
                     *       "event_id": "evt_01kdvc2v0me5rtj6wm00000013",
                     *       "event_type": "webhook.test",
                     *       "payload": {
                     *         "id": "evt_01kdvc2v0me5rtj6wm00000013",
                     *         "type": "webhook.test",
                     *         "created_at": "2026-03-02T14:05:09.123Z",
                     *         "data": {
                     *           "webhook_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012"
                     *         }
                     *       },
                     *       "response_status": 200,
                     *       "response_time_ms": 8,
                     *       "status": "delivered",
                     *       "success": true,
                     *       "error": null,
                     *       "response_excerpt": "{\"received\":true}",
                     *       "attempts": [
                     *         {
                     *           "at": "2026-03-02T14:05:09.123Z",
                     *           "error": null,
                     *           "status": 200,
                     *           "duration_ms": 8
                     *         }
                     *       ],
                     *       "retry_count": 0,
                     *       "created_at": "2026-03-02T14:05:09.123Z",
                     *       "next_attempt_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "Idempotency-Key": string;
            };
            path: {
                id: string;
                /** @description Such as `whd_` and what follows. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send a delivery again */
            202: {
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
                     *       "delivery_id": "whd_01kdvc2v0me5rtj6wm00000014"
                     *     }
                     */
                    "application/json": {
                        delivery_id: string;
                    };
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
    payInSandbox: {
        parameters: {
            query?: never;
            header: {
                /** @description The same request with the same key is done once; kept for 24 hours. */
                "Idempotency-Key": string;
            };
            path: {
                /** @description Such as `inv_` or `pay_` and what follows. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Trying it out"
                 *     }
                 */
                "application/json": components["schemas"]["CancelRequest"];
            };
        };
        responses: {
            /** @description Play the payer of an invoice (staging) */
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
                     *       "id": "inv_01kdvc2v0me5rtj6wm00000001",
                     *       "status": "paid",
                     *       "amount": 10000,
                     *       "currency": "BRL",
                     *       "region": "br",
                     *       "customer": {
                     *         "name": "Maria Silva",
                     *         "email": "maria@example.com",
                     *         "tax_id": "52998224725",
                     *         "country": "BR"
                     *       },
                     *       "description": "Consulta – José",
                     *       "payment_method": {
                     *         "type": "pix",
                     *         "pix": {
                     *           "qr_code": "00020101021226650014br.gov.bcb.pix2543sandbox.placar.dev/pix/sbx_01kdvc2v0me5rtj6wm00000002.005802BR5914PLACAR SANDBOX6009SAO PAULO62070503***6304A30C",
                     *           "qr_code_image_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/qr.svg",
                     *           "expires_at": "2026-03-02T14:05:09.123Z"
                     *         }
                     *       },
                     *       "tax_document": null,
                     *       "cost_center": null,
                     *       "contractor_reference": "order-42",
                     *       "metadata": {},
                     *       "our_number": "INV-2026-000001",
                     *       "fee": 100,
                     *       "net": 9900,
                     *       "paid_at": "2026-03-02T14:05:09.123Z",
                     *       "failure_reason": null,
                     *       "created": "2026-03-02T14:05:09.123Z"
                     *     }
                     */
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
    onInvoicePaid: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "invoice.paid";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000010",
                 *       "type": "invoice.paid",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "inv_01kdvc2v0me5rtj6wm00000001",
                 *         "status": "paid",
                 *         "amount": 10000,
                 *         "currency": "BRL",
                 *         "region": "br",
                 *         "customer": {
                 *           "name": "Maria Silva",
                 *           "email": "maria@example.com",
                 *           "tax_id": "52998224725",
                 *           "country": "BR"
                 *         },
                 *         "description": "Consulta – José",
                 *         "payment_method": {
                 *           "type": "pix",
                 *           "pix": {
                 *             "qr_code": "00020101021226650014br.gov.bcb.pix2543sandbox.placar.dev/pix/sbx_01kdvc2v0me5rtj6wm00000002.005802BR5914PLACAR SANDBOX6009SAO PAULO62070503***6304A30C",
                 *             "qr_code_image_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/qr.svg",
                 *             "expires_at": "2026-03-02T14:05:09.123Z"
                 *           }
                 *         },
                 *         "tax_document": null,
                 *         "cost_center": null,
                 *         "contractor_reference": "order-42",
                 *         "metadata": {},
                 *         "our_number": "INV-2026-000001",
                 *         "fee": 100,
                 *         "net": 9900,
                 *         "paid_at": "2026-03-02T14:05:09.123Z",
                 *         "failure_reason": null,
                 *         "created": "2026-03-02T14:05:09.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "invoice.paid";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Invoice"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceCanceled: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "invoice.canceled";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000016",
                 *       "type": "invoice.canceled",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "inv_01kdvc2v0me5rtj6wm00000004",
                 *         "status": "canceled",
                 *         "amount": 10000,
                 *         "currency": "BRL",
                 *         "region": "br",
                 *         "customer": {
                 *           "name": "Maria Silva",
                 *           "email": "maria@example.com",
                 *           "tax_id": "52998224725",
                 *           "country": "BR"
                 *         },
                 *         "description": "Consulta – José",
                 *         "payment_method": {
                 *           "type": "pix",
                 *           "pix": {
                 *             "qr_code": "00020101021226650014br.gov.bcb.pix2543sandbox.placar.dev/pix/sbx_01kdvc2v0me5rtj6wm00000005.005802BR5914PLACAR SANDBOX6009SAO PAULO62070503***63041A55",
                 *             "qr_code_image_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/qr.svg",
                 *             "expires_at": "2026-03-02T14:05:09.123Z"
                 *           }
                 *         },
                 *         "tax_document": null,
                 *         "cost_center": null,
                 *         "contractor_reference": null,
                 *         "metadata": {},
                 *         "our_number": "INV-2026-000002",
                 *         "fee": null,
                 *         "net": null,
                 *         "paid_at": null,
                 *         "failure_reason": null,
                 *         "created": "2026-03-02T14:05:09.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "invoice.canceled";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Invoice"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceFailed: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "invoice.failed";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "invoice.failed";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Invoice"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceRefunded: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "invoice.refunded";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "invoice.refunded";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Invoice"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onInvoiceDisputed: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "invoice.disputed";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "invoice.disputed";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Invoice"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTaxDocumentIssued: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "tax_document.issued";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000020",
                 *       "type": "tax_document.issued",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "txd_01kdvc2v0me5rtj6wm00000003",
                 *         "invoice_id": "inv_01kdvc2v0me5rtj6wm00000001",
                 *         "type": "nfse",
                 *         "status": "issued",
                 *         "service_code": "01.07",
                 *         "metadata": {},
                 *         "created": "2026-03-02T14:05:09.123Z",
                 *         "document_number": "1",
                 *         "xml_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/nfse.xml",
                 *         "pdf_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/nfse.pdf",
                 *         "issued_at": "2026-03-02T14:05:09.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "tax_document.issued";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["TaxDocument"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTaxDocumentFailed: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "tax_document.failed";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "tax_document.failed";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["TaxDocument"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTaxDocumentCanceled: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "tax_document.canceled";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000019",
                 *       "type": "tax_document.canceled",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "txd_01kdvc2v0me5rtj6wm00000003",
                 *         "invoice_id": "inv_01kdvc2v0me5rtj6wm00000001",
                 *         "type": "nfse",
                 *         "status": "canceled",
                 *         "service_code": "01.07",
                 *         "metadata": {},
                 *         "created": "2026-03-02T14:05:09.123Z",
                 *         "document_number": "1",
                 *         "xml_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/nfse.xml",
                 *         "pdf_url": "http://127.0.0.1:54321/functions/v1/payments/files/Qm4Xr8Zt2Lp6Vd9Kb3Ns7Wc5/nfse.pdf",
                 *         "issued_at": "2026-03-02T14:05:09.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "tax_document.canceled";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["TaxDocument"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPayoutPaid: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "payout.paid";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000018",
                 *       "type": "payout.paid",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "po_01kdvc2v0me5rtj6wm00000006",
                 *         "status": "paid",
                 *         "amount": 5000,
                 *         "currency": "BRL",
                 *         "region": "br",
                 *         "beneficiary": {
                 *           "name": "Ana Souza",
                 *           "phone": "+5511987654321",
                 *           "document": "39053344705",
                 *           "bank_account": {
                 *             "key": "ana@example.com",
                 *             "type": "pix",
                 *             "key_type": "email"
                 *           }
                 *         },
                 *         "purpose": "prize",
                 *         "provider": "sandbox",
                 *         "cost_center": null,
                 *         "our_number": "PO-2026-000001",
                 *         "contractor_reference": null,
                 *         "metadata": {},
                 *         "failure_reason": null,
                 *         "created": "2026-03-02T14:05:09.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "payout.paid";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Payout"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPayoutFailed: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "payout.failed";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "payout.failed";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Payout"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPayoutCanceled: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "payout.canceled";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000017",
                 *       "type": "payout.canceled",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "po_01kdvc2v0me5rtj6wm00000007",
                 *         "status": "canceled",
                 *         "amount": 5000,
                 *         "currency": "EUR",
                 *         "region": "eu",
                 *         "beneficiary": {
                 *           "name": "Ann Lee",
                 *           "phone": "+4915112345678",
                 *           "document": "X1234567",
                 *           "bank_account": {
                 *             "iban": "DE89370400440532013000",
                 *             "type": "bank_transfer",
                 *             "country": "DE"
                 *           }
                 *         },
                 *         "purpose": "commission",
                 *         "provider": "sandbox",
                 *         "cost_center": null,
                 *         "our_number": "PO-2026-000002",
                 *         "contractor_reference": null,
                 *         "metadata": {},
                 *         "failure_reason": null,
                 *         "created": "2026-03-02T14:05:09.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "payout.canceled";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Payout"];
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookTest: {
        parameters: {
            query?: never;
            header: {
                "X-Pay-Event": "webhook.test";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Pay-Delivery": string;
                /** @description `t=<unix>,v1=<hex>`: the HMAC-SHA256 of `<t>.<body>`. */
                "X-Pay-Signature": string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000013",
                 *       "type": "webhook.test",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "webhook_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "webhook.test";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: {
                        /** Format: uuid */
                        webhook_id: string;
                    };
                    /** @description Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names. */
                    changed?: string[];
                    /** @description Of a webhook with `fold_seconds`: the events that this stands for. */
                    folded?: number;
                };
            };
        };
        responses: {
            /** @description Taken. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not taken: it comes again. 410 ends the webhook. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
