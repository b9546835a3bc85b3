// Made from docs/openapi/v1.json by `npm run clients`.
export interface paths {
    "/v1/leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List leads */
        get: operations["listLeads"];
        put?: never;
        /** Create a lead */
        post: operations["createLead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/leads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a lead with its history */
        get: operations["getLead"];
        put?: never;
        post?: never;
        /** Delete a lead with its history */
        delete: operations["deleteLead"];
        options?: never;
        head?: never;
        /** Change a lead */
        patch: operations["updateLead"];
        trace?: never;
    };
    "/v1/leads/{id}/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a lead's history */
        get: operations["listLeadActivities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/leads/{id}/convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a deal of a lead */
        post: operations["convertLead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List deals */
        get: operations["listDeals"];
        put?: never;
        /** Create a deal */
        post: operations["createDeal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a deal */
        get: operations["getDeal"];
        put?: never;
        post?: never;
        /** Delete a deal */
        delete: operations["deleteDeal"];
        options?: never;
        head?: never;
        /** Change a deal */
        patch: operations["updateDeal"];
        trace?: never;
    };
    "/v1/deals/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move a deal to another stage */
        post: operations["moveDeal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deals/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Win or lose a deal */
        post: operations["closeDeal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deals/{id}/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the activities of a deal */
        get: operations["listDealActivities"];
        put?: never;
        /** Log an activity of a deal */
        post: operations["createDealActivity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/opportunities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List opportunities */
        get: operations["listOpportunities"];
        put?: never;
        /** Create a opportunity */
        post: operations["createOpportunity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/opportunities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a opportunity */
        get: operations["getOpportunity"];
        put?: never;
        post?: never;
        /** Delete a opportunity */
        delete: operations["deleteOpportunity"];
        options?: never;
        head?: never;
        /** Change a opportunity */
        patch: operations["updateOpportunity"];
        trace?: never;
    };
    "/v1/opportunities/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move a opportunity to another stage */
        post: operations["moveOpportunity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/opportunities/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Win or lose a opportunity */
        post: operations["closeOpportunity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/opportunities/{id}/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the activities of a opportunity */
        get: operations["listOpportunityActivities"];
        put?: never;
        /** Log an activity of a opportunity */
        post: operations["createOpportunityActivity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the stages of the pipeline, in order */
        get: operations["listStages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pipeline/stages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the stages of the pipeline, in order */
        get: operations["listPipelineStages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List activities */
        get: operations["listActivities"];
        put?: never;
        /** Log an activity */
        post: operations["createActivity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users */
        get: operations["listUsers"];
        put?: never;
        /** Invite a user */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the user that the client acts for */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a user */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /** Deactivate a user, or remove one for good */
        delete: operations["removeUser"];
        options?: never;
        head?: never;
        /** Change a user */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/v1/users/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a user did in a period */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a user did in a period, or between two days */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List invitations */
        get: operations["listInvitations"];
        put?: never;
        /** Invite a user */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send an invitation again; 429 while its address was mailed in the last five minutes, or the day is used up */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take an invitation back */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List teams */
        get: operations["listTeams"];
        put?: never;
        /** Create a team */
        post: operations["createTeam"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a team with its members */
        get: operations["getTeam"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a team */
        patch: operations["updateTeam"];
        trace?: never;
    };
    "/v1/teams/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members of a team */
        get: operations["listMembers"];
        put?: never;
        /** Add a member, who leaves the team they were in */
        post: operations["addMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/teams/{id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a member */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhooks */
        get: operations["listWebhooks"];
        put?: never;
        /** Create a webhook */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /** Delete a webhook with its log */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /** Change a webhook */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send the event webhook.test to a webhook */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a webhook's deliveries */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{delivery_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a delivery again */
        post: operations["replayDelivery"];
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
        Lead: {
            /** Format: uuid */
            id: string;
            name: string;
            email: string;
            phone: string | null;
            company: string | null;
            position: string | null;
            source: string | null;
            /** @enum {string} */
            status: "new" | "contacted" | "qualified" | "unqualified" | "converted";
            /** Format: uuid */
            owner_id: string | null;
            /** Format: uuid */
            team_id: string | null;
            custom_fields: {
                [key: string]: unknown;
            };
            tags: string[];
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            updated_at: string;
        };
        /** @description `total` is exact up to 10000; beyond it an estimate, until the last page. */
        ListMeta: {
            request_id: string;
            /** Format: date-time */
            timestamp: string;
            page: number;
            per_page: number;
            total: number;
            total_pages: number;
        };
        Error: {
            error: {
                /** @description What went wrong, for programs. */
                code: string;
                message: string;
                details: {
                    field: string;
                    message: string;
                }[];
                /**
                 * @description There are more details than these.
                 * @enum {boolean}
                 */
                details_truncated?: true;
                /**
                 * Format: uuid
                 * @description The lead that has the e-mail already.
                 */
                existing_id?: string;
            };
            meta: components["schemas"]["Meta"];
        };
        Meta: {
            request_id: string;
            /** Format: date-time */
            timestamp: string;
        };
        NewLead: {
            name: string;
            /**
             * Format: email
             * @description Unique in the workspace, without case.
             */
            email: string;
            phone?: string | null;
            company?: string | null;
            position?: string | null;
            /** @description Where the lead comes from. */
            source?: string | null;
            /**
             * Format: uuid
             * @description The user it is assigned to.
             */
            owner_id?: string | null;
            /** Format: uuid */
            team_id?: string | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole; null empties it. */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /** @description At most 50. Replaced whole; null empties it. */
            tags?: string[] | null;
        };
        LeadWithHistory: {
            /** Format: uuid */
            id: string;
            name: string;
            email: string;
            phone: string | null;
            company: string | null;
            position: string | null;
            source: string | null;
            /** @enum {string} */
            status: "new" | "contacted" | "qualified" | "unqualified" | "converted";
            /** Format: uuid */
            owner_id: string | null;
            /** Format: uuid */
            team_id: string | null;
            custom_fields: {
                [key: string]: unknown;
            };
            tags: string[];
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            updated_at: string;
            /** @description The newest 100, newest first; GET /leads/{id}/activities has all. */
            activities: components["schemas"]["Activity"][];
        };
        Activity: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "note" | "call" | "email" | "meeting" | "task";
            title: string | null;
            description: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            date: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            due_date: string | null;
            duration_minutes: number | null;
            /** Format: uuid */
            deal_id: string | null;
            /** Format: uuid */
            owner_id: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
        };
        LeadChange: {
            name?: string;
            /**
             * Format: email
             * @description Unique in the workspace, without case.
             */
            email?: string;
            phone?: string | null;
            company?: string | null;
            position?: string | null;
            /** @description Where the lead comes from. */
            source?: string | null;
            /**
             * Format: uuid
             * @description The user it is assigned to.
             */
            owner_id?: string | null;
            /** Format: uuid */
            team_id?: string | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole; null empties it. */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /** @description At most 50. Replaced whole; null empties it. */
            tags?: string[] | null;
            /**
             * @description Any but `converted`, which POST /leads/{id}/convert makes.
             * @enum {string}
             */
            status?: "new" | "contacted" | "qualified" | "unqualified" | "converted";
        };
        Converted: {
            lead: components["schemas"]["Lead"];
            deal: components["schemas"]["Deal"];
        };
        Deal: {
            /** Format: uuid */
            id: string;
            name: string;
            value: number;
            stage: {
                /** Format: uuid */
                id: string;
                name: string;
                probability: number;
            };
            /** @enum {string} */
            status: "open" | "won" | "lost";
            contact_name: string | null;
            contact_email: string | null;
            company: string | null;
            /** Format: uuid */
            owner_id: string | null;
            /** Format: date */
            expected_close_date: string | null;
            /** @enum {string} */
            priority: "high" | "medium" | "low";
            /** Format: uuid */
            lead_id: string | null;
            custom_fields: {
                [key: string]: unknown;
            };
            tags: string[];
            loss_reason: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            updated_at: string;
        };
        Conversion: {
            /** @description The lead's name when absent. */
            deal_name?: string | null;
            /** @description 0 when absent. */
            deal_value?: number | null;
            /**
             * Format: uuid
             * @description The first stage when absent.
             */
            stage_id?: string | null;
            /** Format: date */
            expected_close_date?: string;
        };
        NewDeal: {
            name: string;
            /** @description In units of the currency: 1250.5 is 1250.50. */
            value: number;
            /**
             * Format: uuid
             * @description The first stage when absent.
             */
            stage_id?: string | null;
            contact_name?: string | null;
            /** Format: email */
            contact_email?: string;
            company?: string | null;
            /**
             * Format: uuid
             * @description The user it is assigned to.
             */
            owner_id?: string | null;
            /** Format: date */
            expected_close_date?: string;
            /** @enum {string|null} */
            priority?: "high" | "medium" | "low" | null;
            /**
             * Format: uuid
             * @description The lead it comes from.
             */
            lead_id?: string | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole; null empties it. */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /** @description At most 50. Replaced whole; null empties it. */
            tags?: string[] | null;
        };
        DealChange: {
            name?: string;
            /** @description In units of the currency: 1250.5 is 1250.50. */
            value?: number;
            /**
             * Format: uuid
             * @description The first stage when absent.
             */
            stage_id?: string | null;
            contact_name?: string | null;
            /** Format: email */
            contact_email?: string;
            company?: string | null;
            /**
             * Format: uuid
             * @description The user it is assigned to.
             */
            owner_id?: string | null;
            /** Format: date */
            expected_close_date?: string;
            /** @enum {string|null} */
            priority?: "high" | "medium" | "low" | null;
            /**
             * Format: uuid
             * @description The lead it comes from.
             */
            lead_id?: string | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole; null empties it. */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /** @description At most 50. Replaced whole; null empties it. */
            tags?: string[] | null;
        };
        Move: {
            /** Format: uuid */
            stage_id: string;
            note?: string | null;
        };
        Closing: {
            /** @enum {string} */
            result: "won" | "lost";
            /** @description For won: becomes the value. */
            final_value?: number | null;
            /** @description Needed for lost. */
            loss_reason?: string | null;
            note?: string | null;
        };
        /** @description A deal as variant B names it. */
        Opportunity: {
            /** Format: uuid */
            id: string;
            name: string;
            value: number;
            /** @description Its name. */
            stage: string;
            /** Format: uuid */
            stage_id: string;
            probability: number;
            /** @enum {string} */
            status: "open" | "won" | "lost";
            contact: {
                name: string | null;
                email: string | null;
                company: string | null;
            };
            /** Format: uuid */
            assigned_to: string | null;
            /** Format: date */
            expected_close_date: string | null;
            /** @enum {string} */
            priority: "high" | "medium" | "low";
            /** Format: uuid */
            lead_id: string | null;
            custom_fields: {
                [key: string]: unknown;
            };
            tags: string[];
            loss_reason: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            updated_at: string;
        };
        Pagination: {
            page: number;
            per_page: number;
            total: number;
            total_pages: number;
        };
        NewOpportunity: {
            name: string;
            /** @description In units of the currency: 1250.5 is 1250.50. */
            value: number;
            /** Format: date */
            expected_close_date?: string;
            /** @enum {string|null} */
            priority?: "high" | "medium" | "low" | null;
            /**
             * Format: uuid
             * @description The lead it comes from.
             */
            lead_id?: string | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole; null empties it. */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /** @description At most 50. Replaced whole; null empties it. */
            tags?: string[] | null;
            /**
             * Format: uuid
             * @description The user it is assigned to.
             */
            assigned_to?: string | null;
            contact?: {
                name?: string | null;
                email?: string | null;
                company?: string | null;
            } | null;
            /** @description Name, without case, or id. */
            stage: string;
        };
        OpportunityChange: {
            name?: string;
            /** @description In units of the currency: 1250.5 is 1250.50. */
            value?: number;
            /** Format: date */
            expected_close_date?: string;
            /** @enum {string|null} */
            priority?: "high" | "medium" | "low" | null;
            /**
             * Format: uuid
             * @description The lead it comes from.
             */
            lead_id?: string | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole; null empties it. */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /** @description At most 50. Replaced whole; null empties it. */
            tags?: string[] | null;
            /**
             * Format: uuid
             * @description The user it is assigned to.
             */
            assigned_to?: string | null;
            contact?: {
                name?: string | null;
                email?: string | null;
                company?: string | null;
            } | null;
            /** @description Name, without case, or id. */
            stage?: string;
        };
        OpportunityClosing: {
            /** @enum {string} */
            status: "won" | "lost";
            /** @description For won: becomes the value. */
            final_value?: number | null;
            /** @description Needed for lost. */
            loss_reason?: string | null;
            close_notes?: string | null;
        };
        OpportunityActivity: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "note" | "call" | "email" | "meeting" | "task";
            title: string | null;
            description: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            date: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            due_date: string | null;
            duration_minutes: number | null;
            /** Format: uuid */
            deal_id: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
            /** Format: uuid */
            assigned_to: string | null;
        };
        Stage: {
            /** Format: uuid */
            id: string;
            name: string;
            position: number;
            probability: number;
        };
        NewActivity: {
            /** @enum {string} */
            type: "note" | "call" | "email" | "meeting" | "task";
            title?: string | null;
            description?: string | null;
            /** @description A date, or an ISO 8601 timestamp with an offset. */
            date?: string | null;
            /** @description A date, or an ISO 8601 timestamp with an offset. */
            due_date?: string | null;
            duration_minutes?: number | null;
            /** Format: uuid */
            deal_id?: string | null;
        };
        User: {
            /** Format: uuid */
            id: string;
            name: string;
            email: string;
            phone: string | null;
            avatar_url: string | null;
            /** @enum {string} */
            role: "admin" | "manager" | "sales_rep" | "viewer";
            team: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            /** @enum {string} */
            status: "active" | "invited" | "deactivated";
            ranking_tier: string | null;
            total_points: number;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            last_active_at: string | null;
        };
        NewUser: {
            name: string;
            /**
             * Format: email
             * @description Unique in the workspace, without case. The invitation goes there.
             */
            email: string;
            /** @enum {string} */
            role: "admin" | "manager" | "sales_rep";
            /** Format: uuid */
            team_id?: string | null;
            phone?: string | null;
        };
        UserChange: {
            name?: string;
            phone?: string | null;
            /** @enum {string} */
            role?: "admin" | "manager" | "sales_rep";
            /** Format: uuid */
            team_id?: string | null;
        };
        Statistics: {
            /** Format: uuid */
            user_id: string;
            period: string;
            points: number;
            ranking_position: number;
            deals_created: number;
            deals_won: number;
            deals_lost: number;
            revenue_closed: number;
            leads_created: number;
            leads_qualified: number;
            /** @description Won by won and lost; 0 when nothing was closed. */
            conversion_rate: number;
            average_deal_size: number;
            average_sales_cycle_days: number;
            badges_earned: number;
            activities_logged: number;
        };
        Invitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            user_id: string;
            email: string;
            /** @enum {string} */
            role: "admin" | "manager" | "sales_rep" | "viewer";
            /** Format: uuid */
            team_id: string | null;
            /** @enum {string} */
            status: "pending" | "accepted" | "revoked" | "expired";
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            invited_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            expires_at: string;
        };
        Team: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            leader_id: string | null;
            member_count: number;
            /** Format: uuid */
            parent_team_id: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            updated_at: string;
        };
        NewTeam: {
            name: string;
            /** Format: uuid */
            leader_id?: string | null;
            /** Format: uuid */
            parent_team_id?: string | null;
            /** @description Users who become members; each leaves the team they were in. */
            member_ids?: string[] | null;
        };
        TeamWithMembers: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            leader_id: string | null;
            member_count: number;
            /** Format: uuid */
            parent_team_id: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            updated_at: string;
            /** @description The first 100 by name; GET /teams/{id}/members has all. */
            members: components["schemas"]["User"][];
        };
        TeamChange: {
            name?: string;
            /** Format: uuid */
            leader_id?: string | null;
            /** Format: uuid */
            parent_team_id?: string | null;
        };
        NewMember: {
            /** Format: uuid */
            user_id: string;
        };
        Webhook: {
            /** Format: uuid */
            id: string;
            url: string;
            events: string[];
            description: string | null;
            active: boolean;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            updated_at: string;
            /** @description In the answer to the creation, and to a change that had one made; nowhere else. */
            secret?: string;
        };
        /** @description Without `secret` deliveries are unsigned; `"secret": "generate"` has one made and shows it once. */
        NewWebhook: {
            /** @description HTTPS, without credentials. */
            url: string;
            events: ("deal.created" | "deal.updated" | "deal.stage_changed" | "deal.won" | "deal.lost" | "deal.deleted" | "lead.created" | "lead.updated" | "lead.status_changed" | "lead.converted" | "lead.deleted" | "user.created" | "user.activated" | "user.updated" | "user.deactivated" | "badge.earned" | "challenge.completed" | "ranking.changed")[];
            /** @description Signs deliveries. `generate` has one made: `whsec_` and 24 random bytes in base64, as the libraries of Standard Webhooks take it. Shown in the answer that it was set by, and never again. Without one, which is what null and leaving it out mean, deliveries are unsigned: whoever knows the address can send the receiver anything, and it cannot tell. */
            secret?: string | null;
            description?: string | null;
            /** @description true when absent. */
            active?: boolean;
        };
        /** @description `active: true` also forgets earlier failures. All but `description` needs the read scopes of the events that the webhook has and is to have. */
        WebhookChange: {
            /** @description HTTPS, without credentials. */
            url?: string;
            events?: ("deal.created" | "deal.updated" | "deal.stage_changed" | "deal.won" | "deal.lost" | "deal.deleted" | "lead.created" | "lead.updated" | "lead.status_changed" | "lead.converted" | "lead.deleted" | "user.created" | "user.activated" | "user.updated" | "user.deactivated" | "badge.earned" | "challenge.completed" | "ranking.changed")[];
            /** @description Signs deliveries. `generate` has one made: `whsec_` and 24 random bytes in base64, as the libraries of Standard Webhooks take it. Shown in the answer that it was set by, and never again. Without one, which is what null and leaving it out mean, deliveries are unsigned: whoever knows the address can send the receiver anything, and it cannot tell. */
            secret?: string | null;
            description?: string | null;
            /** @description true when absent. */
            active?: boolean;
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
            retry_count: number;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            next_attempt_at: string | null;
        };
    };
    responses: {
        /** @description A field, parameter or header is missing or malformed, or a parameter is given twice; `details` names each. */
        Failure400: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No token, or one that is not good, expired, or of a revoked client. */
        Failure401: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                /** @description The scheme to authenticate with. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The token lacks the scope. */
        Failure403: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                /** @description The scheme to authenticate with. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The plan's requests of this minute are used up. */
        Failure429: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An error of the service. */
        Failure500: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service cannot reach its database. */
        Failure503: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body did not come in time. */
        Failure408: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A conflict with what is there. */
        Failure409: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than 6 MiB. */
        Failure413: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is not JSON. */
        Failure415: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Well-formed, but it cannot be done with these values. */
        Failure422: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such record in this workspace. */
        Failure404: {
            headers: {
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
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
    listLeads: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | "email" | "-email" | "status" | "-status";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
                status?: "new" | "contacted" | "qualified" | "unqualified" | "converted";
                source?: string;
                owner_id?: string;
                team_id?: string;
                /** @description In name, e-mail and company, without case and accents. */
                search?: string;
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Lead"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLead"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Lead"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LeadWithHistory"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    deleteLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeadChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Lead"];
                        meta: components["schemas"]["Meta"];
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
            503: components["responses"]["Failure503"];
        };
    };
    listLeadActivities: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                type?: "note" | "call" | "email" | "meeting" | "task";
                owner_id?: string;
                deal_id?: string;
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Activity"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    convertLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Conversion"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Converted"];
                        meta: components["schemas"]["Meta"];
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
            503: components["responses"]["Failure503"];
        };
    };
    listDeals: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | "value" | "-value" | "expected_close_date" | "-expected_close_date";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
                owner_id?: string;
                stage_id?: string;
                /** @description The owner's team. */
                team_id?: string;
                status?: "open" | "won" | "lost";
                min_value?: number;
                max_value?: number;
                close_date_after?: string;
                close_date_before?: string;
                /** @description In the name and the contact, without case and accents. */
                search?: string;
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deal"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDeal"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deal"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deal"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    deleteDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DealChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deal"];
                        meta: components["schemas"]["Meta"];
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
            503: components["responses"]["Failure503"];
        };
    };
    moveDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Move"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deal"];
                        meta: components["schemas"]["Meta"];
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
            503: components["responses"]["Failure503"];
        };
    };
    closeDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Closing"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Deal"];
                        meta: components["schemas"]["Meta"];
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
            503: components["responses"]["Failure503"];
        };
    };
    listDealActivities: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                type?: "note" | "call" | "email" | "meeting" | "task";
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Activity"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createDealActivity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "note" | "call" | "email" | "meeting" | "task";
                    title?: string | null;
                    description?: string | null;
                    /** @description A date, or an ISO 8601 timestamp with an offset. */
                    date?: string | null;
                    /** @description A date, or an ISO 8601 timestamp with an offset. */
                    due_date?: string | null;
                    duration_minutes?: number | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Activity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listOpportunities: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | "value" | "-value" | "expected_close_date" | "-expected_close_date";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
                assigned_to?: string;
                /** @description Name, without case, or id. */
                stage?: string;
                stage_id?: string;
                /** @description The owner's team. */
                team_id?: string;
                status?: "open" | "won" | "lost";
                min_value?: number;
                max_value?: number;
                close_date_after?: string;
                close_date_before?: string;
                /** @description In the name and the contact, without case and accents. */
                search?: string;
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Opportunity"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOpportunity"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    deleteOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpportunityChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
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
            503: components["responses"]["Failure503"];
        };
    };
    moveOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Move"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
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
            503: components["responses"]["Failure503"];
        };
    };
    closeOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpportunityClosing"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
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
            503: components["responses"]["Failure503"];
        };
    };
    listOpportunityActivities: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                type?: "note" | "call" | "email" | "meeting" | "task";
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OpportunityActivity"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createOpportunityActivity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "note" | "call" | "email" | "meeting" | "task";
                    title?: string | null;
                    description?: string | null;
                    /** @description A date, or an ISO 8601 timestamp with an offset. */
                    date?: string | null;
                    /** @description A date, or an ISO 8601 timestamp with an offset. */
                    due_date?: string | null;
                    duration_minutes?: number | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OpportunityActivity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listStages: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Stage"][];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listPipelineStages: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: uuid */
                            id: string;
                            name: string;
                            order: number;
                            default_probability: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listActivities: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                type?: "note" | "call" | "email" | "meeting" | "task";
                owner_id?: string;
                deal_id?: string;
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Activity"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createActivity: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewActivity"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Activity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | "email" | "-email" | "total_points" | "-total_points";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
                role?: "admin" | "manager" | "sales_rep";
                team_id?: string;
                status?: "active" | "invited" | "deactivated";
                /** @description In name and e-mail, without case and accents. */
                search?: string;
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    removeUser: {
        parameters: {
            query?: {
                permanent?: "true" | "false";
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                /** @description Of the tenant's calendar; month when absent. */
                period?: "today" | "week" | "month" | "quarter" | "year" | "all_time";
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Statistics"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getMetrics: {
        parameters: {
            query?: {
                period?: "today" | "week" | "month" | "quarter" | "year" | "all_time";
                /** @description Takes the place of the period. The day is included. */
                start_date?: string;
                /** @description The day is included. */
                end_date?: string;
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Statistics"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "invited_at" | "-invited_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                status?: "pending" | "accepted" | "revoked" | "expired";
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"];
                        meta: components["schemas"]["Meta"];
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
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            409: components["responses"]["Failure409"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listTeams: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Team"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTeam"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Team"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TeamWithMembers"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Team"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | "email" | "-email" | "total_points" | "-total_points";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
                role?: "admin" | "manager" | "sales_rep";
                team_id?: string;
                status?: "active" | "invited" | "deactivated";
                /** @description In name and e-mail, without case and accents. */
                search?: string;
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    addMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMember"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            408: components["responses"]["Failure408"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        meta: components["schemas"]["Meta"];
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
            503: components["responses"]["Failure503"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            event_id: string;
                            delivery_id: string;
                        };
                        meta: components["schemas"]["Meta"];
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
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 25 when absent. */
                per_page?: number;
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                status?: "pending" | "delivered" | "failed";
            };
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        meta: components["schemas"]["ListMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Naming of this request; the client's own when absent. */
                "X-Api-Variant"?: "a" | "b" | "c";
                /** @description Marks what the request causes: events carry it as `origin`. */
                "X-Origin"?: string;
            };
            path: {
                id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            delivery_id: string;
                        };
                        meta: components["schemas"]["Meta"];
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
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
}
