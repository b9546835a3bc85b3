// Made from docs/openapi/v1-c.json by `npm run clients`.
export interface paths {
    "/v1/leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List leads
         * @description Needs the scope `read:leads`.
         */
        get: operations["listLeads"];
        put?: never;
        /**
         * Create a lead
         * @description An e-mail that another lead of the workspace has is 409, with `existing_id`. Needs the scope `write:leads`.
         */
        post: operations["createLead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/leads/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write many leads at once
         * @description Up to 500 operations, done in their order, each as if it had come alone: one that is refused stops no other. With `atomic` all are done or none: then a refused one is 422 `BATCH_REJECTED`, and `error.results` says which. Counts as one request. Needs the scope `write:leads`.
         */
        post: operations["batchLeads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/leads/external/{external_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a lead by its external id
         * @description Needs the scope `read:leads`.
         */
        get: operations["getLeadByExternalId"];
        /**
         * Make or change a lead by its external id
         * @description Made (201) where your client calls none so, with a body as for POST; else changed, with one as for PATCH. Once, however many ask for it at the same time. Needs the scope `write:leads`.
         */
        put: operations["putLead"];
        post?: never;
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
        /**
         * Get a lead with its history
         * @description Needs the scope `read:leads`.
         */
        get: operations["getLead"];
        put?: never;
        post?: never;
        /**
         * Delete a lead with its history
         * @description Needs the scope `write:leads`.
         */
        delete: operations["deleteLead"];
        options?: never;
        head?: never;
        /**
         * Change a lead
         * @description What is absent stays as it is; null empties. Needs the scope `write:leads`.
         */
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
        /**
         * List a lead's history
         * @description Needs the scope `read:leads`.
         */
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
        /**
         * Make a deal of a lead
         * @description Owner, name, e-mail and company are copied. A converted lead is 409. Needs the scope `write:leads`.
         */
        post: operations["convertLead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/leads/{id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge two leads into one
         * @description This one, the winner, keeps what it has and gets what it lacks, and deals, activities, tags and external ids of the loser, which is gone: 404 with `merged_into`. It is converted if either was. One event, `lead.merged`. It cannot be undone. Needs the scope `write:leads`.
         */
        post: operations["mergeLeads"];
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
        /**
         * List deals
         * @description Needs the scope `read:deals`.
         */
        get: operations["listDeals"];
        put?: never;
        /**
         * Create a deal
         * @description Needs the scope `write:deals`.
         */
        post: operations["createDeal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deals/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write many deals at once
         * @description Up to 500 operations, done in their order, each as if it had come alone: one that is refused stops no other. With `atomic` all are done or none: then a refused one is 422 `BATCH_REJECTED`, and `error.results` says which. Counts as one request. Needs the scope `write:deals`.
         */
        post: operations["batchDeals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deals/external/{external_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a deal by its external id
         * @description Needs the scope `read:deals`.
         */
        get: operations["getDealByExternalId"];
        /**
         * Make or change a deal by its external id
         * @description Made (201) where your client calls none so, with a body as for POST; else changed, with one as for PATCH. Once, however many ask for it at the same time. Needs the scope `write:deals`.
         */
        put: operations["putDeal"];
        post?: never;
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
        /**
         * Get a deal
         * @description Needs the scope `read:deals`.
         */
        get: operations["getDeal"];
        put?: never;
        post?: never;
        /**
         * Delete a deal
         * @description Needs the scope `write:deals`.
         */
        delete: operations["deleteDeal"];
        options?: never;
        head?: never;
        /**
         * Change a deal
         * @description What is absent stays as it is; null empties. `status` is ignored: close it instead. Needs the scope `write:deals`.
         */
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
        /**
         * Move a deal to another stage
         * @description The note becomes an activity. A closed one is 409. Needs the scope `write:deals`.
         */
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
        /**
         * Win or lose a deal
         * @description It keeps its stage. The note becomes an activity. A closed one is 409. Needs the scope `write:deals`.
         */
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
        /**
         * List the activities of a deal
         * @description Needs the scope `read:deals`.
         */
        get: operations["listDealActivities"];
        put?: never;
        /**
         * Log an activity of a deal
         * @description Needs the scope `write:deals`.
         */
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
        /**
         * List opportunities
         * @description Needs the scope `read:deals`.
         */
        get: operations["listOpportunities"];
        put?: never;
        /**
         * Create an opportunity
         * @description Needs the scope `write:deals`.
         */
        post: operations["createOpportunity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/opportunities/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write many opportunities at once
         * @description Up to 500 operations, done in their order, each as if it had come alone: one that is refused stops no other. With `atomic` all are done or none: then a refused one is 422 `BATCH_REJECTED`, and `error.results` says which. Counts as one request. Needs the scope `write:deals`.
         */
        post: operations["batchOpportunities"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/opportunities/external/{external_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an opportunity by its external id
         * @description Needs the scope `read:deals`.
         */
        get: operations["getOpportunityByExternalId"];
        /**
         * Make or change an opportunity by its external id
         * @description Made (201) where your client calls none so, with a body as for POST; else changed, with one as for PATCH. Once, however many ask for it at the same time. Needs the scope `write:deals`.
         */
        put: operations["putOpportunity"];
        post?: never;
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
        /**
         * Get an opportunity
         * @description Needs the scope `read:deals`.
         */
        get: operations["getOpportunity"];
        put?: never;
        post?: never;
        /**
         * Delete an opportunity
         * @description Needs the scope `write:deals`.
         */
        delete: operations["deleteOpportunity"];
        options?: never;
        head?: never;
        /**
         * Change an opportunity
         * @description What is absent stays as it is; null empties. `status` is ignored: close it instead. Needs the scope `write:deals`.
         */
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
        /**
         * Move an opportunity to another stage
         * @description The note becomes an activity. A closed one is 409. Needs the scope `write:deals`.
         */
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
        /**
         * Win or lose an opportunity
         * @description It keeps its stage. The note becomes an activity. A closed one is 409. Needs the scope `write:deals`.
         */
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
        /**
         * List the activities of an opportunity
         * @description Needs the scope `read:deals`.
         */
        get: operations["listOpportunityActivities"];
        put?: never;
        /**
         * Log an activity of an opportunity
         * @description Needs the scope `write:deals`.
         */
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
        /**
         * List the stages of the pipeline, in order
         * @description All of them; there are no pages. Needs the scope `read:deals`.
         */
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
        /**
         * List the stages of the pipeline, in order
         * @description All of them; there are no pages. Needs the scope `read:deals`.
         */
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
        /**
         * List activities
         * @description Needs the scope `read:deals`.
         */
        get: operations["listActivities"];
        put?: never;
        /**
         * Log an activity
         * @description Of a deal, or of none. One with a deal also shows in the history of its lead. Needs the scope `write:deals`.
         */
        post: operations["createActivity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/activities/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write many activities at once
         * @description Up to 500 operations, done in their order, each as if it had come alone: one that is refused stops no other. With `atomic` all are done or none: then a refused one is 422 `BATCH_REJECTED`, and `error.results` says which. Counts as one request. Needs the scope `write:deals`.
         */
        post: operations["batchActivities"];
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
        /**
         * List users
         * @description Needs the scope `read:users`.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Invite a user
         * @description Answered with the user; POST /invitations does the same and is answered with the invitation. Needs the scope `write:users`.
         */
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
        /**
         * Get the user that the client acts for
         * @description A client that acts for nobody is answered 404. Needs the scope `read:users`.
         */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/external/{external_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user by its external id
         * @description Needs the scope `read:users`.
         */
        get: operations["getUserByExternalId"];
        /**
         * Make or change a user by its external id
         * @description Made (201) where your client calls none so, with a body as for POST; else changed, with one as for PATCH. Once, however many ask for it at the same time. Needs the scope `write:users`.
         */
        put: operations["putUser"];
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
        /**
         * Get a user
         * @description Needs the scope `read:users`.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Deactivate a user, or remove one for good
         * @description Needs the scope `write:users`.
         */
        delete: operations["removeUser"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description What is absent stays as it is; null empties. Needs the scope `write:users`.
         */
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
        /**
         * What a user did in a period
         * @description Needs the scope `read:users`.
         */
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
        /**
         * What a user did in a period, or between two days
         * @description Needs the scope `read:users`.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/missions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List missions
         * @description Needs the scope `read:users`.
         */
        get: operations["listMissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/standings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users and collaborators by points of a time
         * @description Who opted out of rankings is not there. `period`, `season`, and `from` with `to` do not go together; nor do `page` and `around`. 422 where there is no such season, or the user of `around` has no place in these standings. Needs the scope `read:users`.
         */
        get: operations["getStandings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/seasons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List seasons
         * @description Needs the scope `read:users`.
         */
        get: operations["listSeasons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/badges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List badges
         * @description Needs the scope `read:users`.
         */
        get: operations["listBadges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/challenges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List challenges with the progress in each
         * @description Needs the scope `read:users`.
         */
        get: operations["listChallenges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/points": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the entries of a user's points
         * @description Their sum is `total_points` of the user. Entries are never changed or removed. Needs the scope `read:users`.
         */
        get: operations["listPoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/badges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the badges of a user
         * @description Needs the scope `read:users`.
         */
        get: operations["listEarnedBadges"];
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
        /**
         * List invitations
         * @description Needs the scope `read:users`.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite a user
         * @description Needs the scope `write:users`.
         */
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
        /**
         * Send an invitation again
         * @description 429 while its address was mailed in the last five minutes, or the day is used up. Needs the scope `write:users`.
         */
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
        /**
         * Take an invitation back
         * @description Needs the scope `write:users`.
         */
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
        /**
         * List teams
         * @description Needs the scope `read:teams`.
         */
        get: operations["listTeams"];
        put?: never;
        /**
         * Create a team
         * @description Needs the scope `write:teams` or `write:users`.
         */
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
        /**
         * Get a team with its members
         * @description Needs the scope `read:teams`.
         */
        get: operations["getTeam"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a team
         * @description Needs the scope `write:teams` or `write:users`.
         */
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
        /**
         * List the members of a team
         * @description Needs the scope `read:teams`.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Add a member, who leaves the team they were in
         * @description Needs the scope `write:teams` or `write:users`.
         */
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
        /**
         * Remove a member
         * @description Needs the scope `write:teams` or `write:users`.
         */
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
        /**
         * List webhooks
         * @description Needs the scope `read:webhooks`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Needs the scope `write:webhooks`.
         */
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
        /**
         * Get a webhook
         * @description Needs the scope `read:webhooks`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook with its log
         * @description Needs the scope `write:webhooks`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Needs the scope `write:webhooks`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the keys that verify what a webhook is sent
         * @description As other JSON Web Key Sets, in no envelope. Needs the scope `read:webhooks`.
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
    "/v1/webhooks/{id}/pause": {
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
         * @description Those of events that happen meanwhile wait as well. What waits longer than 30 days is given up. Needs the scope `write:webhooks`.
         */
        post: operations["pauseWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/resume": {
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
         * @description Needs the scope `write:webhooks`.
         */
        post: operations["resumeWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
        /**
         * Send the event webhook.test to a webhook
         * @description Needs the scope `write:webhooks`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/replay": {
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
         * @description Those of all events since a time, or those that failed, under the same ids. A matching event without a delivery gets one; what was imported in silence does not. Needs the scope `write:webhooks`.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/replays/{replay_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how far a replay is
         * @description Needs the scope `read:webhooks`.
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
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a webhook's deliveries
         * @description Needs the scope `read:webhooks`.
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
    "/v1/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description Needs the scope `read:webhooks`.
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
    "/v1/webhooks/{id}/deliveries/{delivery_id}/replay": {
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
         * @description Needs the scope `write:webhooks`.
         */
        post: operations["replayDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events in the order of the feed
         * @description What webhooks push, to be asked for: every event of the types that the token may read, in one order that all readers see. Keep `next_cursor` and ask after it. Without `after` it begins with the oldest that is kept. Needs the scope `read:leads` or `read:deals` or `read:users`.
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
    "/v1/health": {
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
    "/v1/openapi-c.json": {
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
    "lead.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A lead was created
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onLeadCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "lead.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A lead was changed
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onLeadUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "lead.stage_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A lead has another status
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onLeadStageChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "lead.converted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deal was made of a lead
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onLeadConverted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "lead.merged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Another lead became a part of a lead
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onLeadMerged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "lead.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A lead was deleted; as it last was
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onLeadDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deal.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deal was created
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onDealCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deal.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deal was changed
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onDealUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deal.stage_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deal was moved to another stage
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onDealStageChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deal.won": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deal was won
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onDealWon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deal.lost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deal was lost
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onDealLost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deal.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A deal was deleted; as it last was
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onDealDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "user.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A user was invited
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onUserCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "user.activated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A user accepted their invitation
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onUserActivated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "user.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A user was changed
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onUserUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "user.deactivated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A user was deactivated, or removed for good
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onUserDeactivated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "badge.earned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A badge was earned
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onBadgeEarned"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "challenge.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A challenge was completed
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onChallengeCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "ranking.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Positions of users in the standings changed
         * @description Sent to each webhook that subscribes to it. Answer 2xx within 10 seconds; docs/webhooks.md says what else is tried.
         */
        post: operations["onRankingChanged"];
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
         * POST /webhooks/{id}/test was called
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
            stage: "new" | "contacted" | "qualified" | "unqualified" | "converted";
            /** Format: uuid */
            assigned_to: string | null;
            /** Format: uuid */
            team_id: string | null;
            custom_fields: {
                [key: string]: unknown;
            };
            tags: string[];
            /** @description What your client calls it. */
            external_id: string | null;
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
            score: number | null;
        };
        MergedLead: {
            /** Format: uuid */
            id: string;
            name: string;
            email: string;
            phone: string | null;
            company: string | null;
            position: string | null;
            source: string | null;
            /** @enum {string} */
            stage: "new" | "contacted" | "qualified" | "unqualified" | "converted";
            /** Format: uuid */
            assigned_to: string | null;
            /** Format: uuid */
            team_id: string | null;
            custom_fields: {
                [key: string]: unknown;
            };
            tags: string[];
            /** @description What your client calls it. */
            external_id: string | null;
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
            score: number | null;
            /**
             * Format: uuid
             * @description The other one, which is gone.
             */
            merged_id: string;
        };
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
            /** @description What your client calls it. */
            external_id: string | null;
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
            currency: string;
            products: {
                [key: string]: unknown;
            }[];
        };
        MovedDeal: {
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
            /** @description What your client calls it. */
            external_id: string | null;
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
            currency: string;
            products: {
                [key: string]: unknown;
            }[];
            /** @description Its name. */
            previous_stage: string;
        };
        WonDeal: {
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
            /** @description What your client calls it. */
            external_id: string | null;
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
            currency: string;
            products: {
                [key: string]: unknown;
            }[];
            /** @description Its name. */
            previous_stage?: string;
        };
        User: {
            /** Format: uuid */
            id: string;
            name: string;
            email: string;
            phone: string | null;
            avatar_url: string | null;
            /** @enum {string} */
            role: "admin" | "manager" | "viewer" | "seller";
            team: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            /** @enum {string} */
            status: "active" | "inactive" | "pending";
            ranking_tier: string | null;
            total_points: number;
            /** @description What your client calls it. */
            external_id: string | null;
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
        EarnedBadge: {
            /**
             * Format: uuid
             * @description Null for a collaborator without a user.
             */
            user_id: string | null;
            email: string;
            badge: {
                /** Format: uuid */
                id: string;
                name: string;
                metric: string;
                threshold: number;
            };
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            earned_at: string;
        };
        CompletedChallenge: {
            /**
             * Format: uuid
             * @description Null for a collaborator without a user.
             */
            user_id: string | null;
            email: string;
            challenge: {
                /** Format: uuid */
                id: string;
                name: string;
                metric: string;
                target: number;
                /**
                 * Format: date-time
                 * @description UTC, with microseconds.
                 */
                starts_at: string;
                /**
                 * Format: date-time
                 * @description UTC, with microseconds.
                 */
                ends_at: string;
                reward_points: number;
            };
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            completed_at: string;
        };
        RankingChange: {
            changes: {
                /** Format: uuid */
                user_id: string;
                from: number | null;
                to: number;
            }[];
        };
        WebhookTest: {
            /** Format: uuid */
            webhook_id: string;
        };
        Pagination: {
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
                 * @description The record that has the e-mail or the external id already.
                 */
                existing_id?: string;
                /**
                 * Format: uuid
                 * @description The lead that this one became a part of.
                 */
                merged_into?: string;
                /** @description The record as it is, where `If-Match` named another version. */
                current?: {
                    [key: string]: unknown;
                };
                /** @description Of an atomic batch: each operation with its error, or 424. */
                results?: {
                    status: number;
                    error?: {
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
                         * @description The record that has the e-mail or the external id already.
                         */
                        existing_id?: string;
                        /**
                         * Format: uuid
                         * @description The lead that this one became a part of.
                         */
                        merged_into?: string;
                        /** @description The record as it is, where `If-Match` named another version. */
                        current?: {
                            [key: string]: unknown;
                        };
                    };
                }[];
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
            assigned_to?: string | null;
            /** Format: uuid */
            team_id?: string | null;
            score?: number | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole; null empties it. */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /** @description At most 50. Replaced whole; null empties it. */
            tags?: string[] | null;
            /** @description Your own id of it: unique among yours of the kind, compared with case, seen by your client alone. */
            external_id?: string | null;
        };
        LeadBatch: {
            operations: components["schemas"]["LeadOperation"][];
            /** @description false when absent. */
            atomic?: boolean | null;
        };
        LeadOperation: {
            /** @enum {string} */
            method: "create";
            /** @description What your client calls the record. */
            external_id?: string | null;
            data: components["schemas"]["NewLead"];
        } | {
            /** @enum {string} */
            method: "update";
            /**
             * Format: uuid
             * @description This or `external_id`.
             */
            id?: string | null;
            /** @description What your client calls the record. */
            external_id?: string | null;
            /** @description As the header `If-Match`. */
            if_match?: string | null;
            data: components["schemas"]["LeadChange"];
        } | {
            /** @enum {string} */
            method: "upsert";
            /** @description What your client calls the record. */
            external_id: string;
            /** @description As the header `If-Match`. */
            if_match?: string | null;
            data: components["schemas"]["NewLead"] | components["schemas"]["LeadChange"];
        } | {
            /** @enum {string} */
            method: "delete";
            /**
             * Format: uuid
             * @description This or `external_id`.
             */
            id?: string | null;
            /** @description What your client calls the record. */
            external_id?: string | null;
            /** @description As the header `If-Match`. */
            if_match?: string | null;
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
            assigned_to?: string | null;
            /** Format: uuid */
            team_id?: string | null;
            score?: number | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole; null empties it. */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /** @description At most 50. Replaced whole; null empties it. */
            tags?: string[] | null;
            /** @description Your own id of it: unique among yours of the kind, compared with case, seen by your client alone. */
            external_id?: string | null;
            /**
             * @description Any but `converted`, which POST /leads/{id}/convert makes.
             * @enum {string}
             */
            stage?: "new" | "contacted" | "qualified" | "unqualified" | "converted";
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
            stage: "new" | "contacted" | "qualified" | "unqualified" | "converted";
            /** Format: uuid */
            assigned_to: string | null;
            /** Format: uuid */
            team_id: string | null;
            custom_fields: {
                [key: string]: unknown;
            };
            tags: string[];
            /** @description What your client calls it. */
            external_id: string | null;
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
            score: number | null;
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
            opportunity_id: string | null;
            /** Format: uuid */
            assigned_to: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
        };
        Converted: {
            lead: components["schemas"]["Lead"];
            deal: components["schemas"]["Opportunity"];
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
            stage?: string | null;
            /** Format: date */
            expected_close_date?: string | null;
            /** @description Another name of `stage`. */
            pipeline_stage?: string | null;
            contact?: Record<string, never> | null;
        };
        Merging: {
            /**
             * Format: uuid
             * @description The lead that becomes a part of this one.
             */
            loser_id: string;
        };
        NewOpportunity: {
            name: string;
            /** @description In units of the currency: 1250.5 is 1250.50. */
            value: number;
            stage?: string | null;
            /**
             * Format: uuid
             * @description The user it is assigned to.
             */
            assigned_to?: string | null;
            /** Format: date */
            expected_close_date?: string | null;
            /** @enum {string|null} */
            priority?: "high" | "medium" | "low" | null;
            /**
             * Format: uuid
             * @description The lead it comes from.
             */
            lead_id?: string | null;
            currency?: string | null;
            products?: {
                [key: string]: unknown;
            }[] | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole; null empties it. */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /** @description At most 50. Replaced whole; null empties it. */
            tags?: string[] | null;
            /** @description Your own id of it: unique among yours of the kind, compared with case, seen by your client alone. */
            external_id?: string | null;
            /** @description Another name of `stage`. */
            pipeline_stage?: string | null;
            contact?: {
                name?: string | null;
                /** Format: email */
                email?: string | null;
                company?: string | null;
            } | null;
        };
        DealBatch: {
            operations: components["schemas"]["DealOperation"][];
            /** @description false when absent. */
            atomic?: boolean | null;
        };
        DealOperation: {
            /** @enum {string} */
            method: "create";
            /** @description What your client calls the record. */
            external_id?: string | null;
            data: components["schemas"]["NewOpportunity"];
        } | {
            /** @enum {string} */
            method: "update";
            /**
             * Format: uuid
             * @description This or `external_id`.
             */
            id?: string | null;
            /** @description What your client calls the record. */
            external_id?: string | null;
            /** @description As the header `If-Match`. */
            if_match?: string | null;
            data: components["schemas"]["OpportunityChange"];
        } | {
            /** @enum {string} */
            method: "upsert";
            /** @description What your client calls the record. */
            external_id: string;
            /** @description As the header `If-Match`. */
            if_match?: string | null;
            data: components["schemas"]["NewOpportunity"] | components["schemas"]["OpportunityChange"];
        } | {
            /** @enum {string} */
            method: "delete";
            /**
             * Format: uuid
             * @description This or `external_id`.
             */
            id?: string | null;
            /** @description What your client calls the record. */
            external_id?: string | null;
            /** @description As the header `If-Match`. */
            if_match?: string | null;
        };
        /** @description Another stage of an open deal is a move. */
        OpportunityChange: {
            name?: string;
            /** @description In units of the currency: 1250.5 is 1250.50. */
            value?: number;
            stage?: string | null;
            /**
             * Format: uuid
             * @description The user it is assigned to.
             */
            assigned_to?: string | null;
            /** Format: date */
            expected_close_date?: string | null;
            /** @enum {string|null} */
            priority?: "high" | "medium" | "low" | null;
            /**
             * Format: uuid
             * @description The lead it comes from.
             */
            lead_id?: string | null;
            currency?: string | null;
            products?: {
                [key: string]: unknown;
            }[] | null;
            /** @description Free key-value data, at most 16 KiB. Replaced whole; null empties it. */
            custom_fields?: {
                [key: string]: unknown;
            } | null;
            /** @description At most 50. Replaced whole; null empties it. */
            tags?: string[] | null;
            /** @description Your own id of it: unique among yours of the kind, compared with case, seen by your client alone. */
            external_id?: string | null;
            /** @description Another name of `stage`. */
            pipeline_stage?: string | null;
            contact?: {
                name?: string | null;
                /** Format: email */
                email?: string | null;
                company?: string | null;
            } | null;
        };
        OpportunityMove: {
            /** Format: uuid */
            stage_id?: string;
            stage?: string | null;
            note?: string | null;
            /** @description Another name of `stage`. */
            pipeline_stage?: string | null;
            contact?: Record<string, never> | null;
        };
        /** @description One of `status` and `result` is needed. */
        OpportunityClosing: {
            /** @enum {string} */
            status?: "won" | "lost";
            /** @description For won: becomes the value. */
            final_value?: number | null;
            /** @description Needed for lost. */
            loss_reason?: string | null;
            note?: string | null;
            /**
             * @description Another name of `status`.
             * @enum {string}
             */
            result?: "won" | "lost";
            /** @description Another name of `final_value`. */
            closed_value?: number | null;
            /** @description Another name of `note`. */
            close_notes?: string | null;
        };
        NewDealActivity: {
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
        OpportunityBatch: {
            operations: components["schemas"]["OpportunityOperation"][];
            /** @description false when absent. */
            atomic?: boolean | null;
        };
        OpportunityOperation: {
            /** @enum {string} */
            method: "create";
            /** @description What your client calls the record. */
            external_id?: string | null;
            data: components["schemas"]["NewOpportunity"];
        } | {
            /** @enum {string} */
            method: "update";
            /**
             * Format: uuid
             * @description This or `external_id`.
             */
            id?: string | null;
            /** @description What your client calls the record. */
            external_id?: string | null;
            /** @description As the header `If-Match`. */
            if_match?: string | null;
            data: components["schemas"]["OpportunityChange"];
        } | {
            /** @enum {string} */
            method: "upsert";
            /** @description What your client calls the record. */
            external_id: string;
            /** @description As the header `If-Match`. */
            if_match?: string | null;
            data: components["schemas"]["NewOpportunity"] | components["schemas"]["OpportunityChange"];
        } | {
            /** @enum {string} */
            method: "delete";
            /**
             * Format: uuid
             * @description This or `external_id`.
             */
            id?: string | null;
            /** @description What your client calls the record. */
            external_id?: string | null;
            /** @description As the header `If-Match`. */
            if_match?: string | null;
        };
        Stage: {
            /** Format: uuid */
            id: string;
            name: string;
            order: number;
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
            opportunity_id?: string | null;
        };
        ActivityBatch: {
            operations: components["schemas"]["ActivityOperation"][];
            /** @description false when absent. */
            atomic?: boolean | null;
        };
        ActivityOperation: {
            /** @enum {string} */
            method: "create";
            /** @description What your client calls the record. */
            external_id?: string | null;
            data: components["schemas"]["NewActivity"];
        };
        NewUser: {
            name: string;
            /**
             * Format: email
             * @description Unique in the workspace, without case. The invitation goes there.
             */
            email: string;
            /** @enum {string} */
            role: "admin" | "manager" | "viewer" | "seller";
            /** Format: uuid */
            team_id?: string | null;
            phone?: string | null;
            /** @description Your own id of it: unique among yours of the kind, compared with case, seen by your client alone. */
            external_id?: string | null;
        };
        UserChange: {
            name?: string;
            phone?: string | null;
            /** @enum {string} */
            role?: "admin" | "manager" | "viewer" | "seller";
            /** Format: uuid */
            team_id?: string | null;
            /** @description Your own id of it: unique among yours of the kind, compared with case, seen by your client alone. */
            external_id?: string | null;
        };
        Statistics: {
            /** Format: uuid */
            user_id: string;
            period: string;
            points: number;
            /** @description Null for who opted out of rankings. */
            ranking_position: number | null;
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
        Mission: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description For each completion from here on; earlier entries keep what they had. */
            points: number;
            /** @description Activity codes that count for it. */
            codes: string[];
            /** @description Of everybody, or of the user of `user_id`; void activities do not count. */
            completions: number;
        };
        Standing: {
            /** @description The same for as many points: 1, 1, 3. */
            position: number;
            /**
             * Format: uuid
             * @description Null for a collaborator without a user.
             */
            user_id: string | null;
            /**
             * Format: uuid
             * @description Null for a user whom no CRM sent.
             */
            collaborator_id: string | null;
            name: string;
            points: number;
        };
        Season: {
            /** Format: uuid */
            id: string;
            name: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description This moment and later do not count.
             */
            ends_at: string;
        };
        Badge: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            metric: "points" | "missions_completed" | "deals_created" | "deals_won" | "revenue_closed" | "leads_created" | "leads_qualified" | "activities_logged";
            threshold: number;
            /** @description How many have it. */
            earned_by: number;
        };
        Challenge: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            metric: "points" | "missions_completed" | "deals_created" | "deals_won" | "revenue_closed" | "leads_created" | "leads_qualified" | "activities_logged";
            target: number;
            /**
             * Format: date-time
             * @description Null: everything before the end counts.
             */
            starts_at: string | null;
            /**
             * Format: date-time
             * @description This moment and later do not count. Null: it has no end.
             */
            ends_at: string | null;
            reward_points: number;
            /** @description Best first. */
            progress: components["schemas"]["ChallengeProgress"][];
        };
        ChallengeProgress: {
            /**
             * Format: uuid
             * @description Null for a collaborator without a user.
             */
            user_id: string | null;
            name: string;
            value: number;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            completed_at: string | null;
        };
        PointEntry: {
            id: number;
            /** @description Negative where points are taken. */
            points: number;
            /** @enum {string} */
            reason: "mission_completed" | "mission_reverted" | "deal_stage_changed" | "deal_won" | "lead_qualified" | "activity_completed" | "challenge_completed" | "automation" | "activity_voided" | "adjustment";
            /** @description Why an admin adjusted the points, or made the activity void. */
            note: string | null;
            /** Format: uuid */
            mission_id: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            created_at: string;
        };
        BadgeOfUser: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            metric: "points" | "missions_completed" | "deals_created" | "deals_won" | "revenue_closed" | "leads_created" | "leads_qualified" | "activities_logged";
            threshold: number;
            /** @description How many have it. */
            earned_by: number;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            earned_at: string;
        };
        Invitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            user_id: string;
            email: string;
            /** @enum {string} */
            role: "admin" | "manager" | "viewer" | "seller";
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
            events: ("deal.created" | "deal.updated" | "deal.stage_changed" | "deal.won" | "deal.lost" | "deal.deleted" | "lead.created" | "lead.updated" | "lead.stage_changed" | "lead.status_changed" | "lead.converted" | "lead.merged" | "lead.deleted" | "user.created" | "user.activated" | "user.updated" | "user.deactivated" | "badge.earned" | "challenge.completed" | "ranking.changed")[];
            /** @description Signs deliveries. `generate` has one made: `whsec_` and 24 random bytes in base64, as the libraries of Standard Webhooks take it. Shown in the answer that it was set by, and never again. Without one, which is what null and leaving it out mean, deliveries are unsigned: whoever knows the address can send the receiver anything, and it cannot tell. */
            secret?: string | null;
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
        /** @description `active: true` also forgets earlier failures. All but `description` needs the read scopes of the events that the webhook has and is to have. */
        WebhookChange: {
            /** @description HTTPS, without credentials. */
            url?: string;
            events?: ("deal.created" | "deal.updated" | "deal.stage_changed" | "deal.won" | "deal.lost" | "deal.deleted" | "lead.created" | "lead.updated" | "lead.stage_changed" | "lead.status_changed" | "lead.converted" | "lead.merged" | "lead.deleted" | "user.created" | "user.activated" | "user.updated" | "user.deactivated" | "badge.earned" | "challenge.completed" | "ranking.changed")[];
            /** @description Signs deliveries. `generate` has one made: `whsec_` and 24 random bytes in base64, as the libraries of Standard Webhooks take it. Shown in the answer that it was set by, and never again. Without one, which is what null and leaving it out mean, deliveries are unsigned: whoever knows the address can send the receiver anything, and it cannot tell. */
            secret?: string | null;
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
                 * @description UTC, with microseconds.
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
             * @description UTC, with microseconds.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds.
             */
            next_attempt_at: string | null;
        };
        /** @description `next_cursor` is always given: go on after it. */
        FeedMeta: {
            request_id: string;
            /** Format: date-time */
            timestamp: string;
            next_cursor: string;
            has_more: boolean;
        };
    };
    responses: {
        /** @description A field, parameter or header is missing or malformed, or a parameter is given twice; `details` names each. */
        Failure400: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No token, or one that is not good, expired, or of a revoked client. */
        Failure401: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                /** @description The scheme to authenticate with. */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The token lacks the scope. */
        Failure403: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                /** @description The scheme to authenticate with. */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The plan's requests of this minute are used up. */
        Failure429: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                /** @description Seconds to wait. */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An error of the service. */
        Failure500: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
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
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                /** @description Seconds to wait. */
                "Retry-After": number;
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
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than 6 MiB. */
        Failure413: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
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
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Well-formed, but it cannot be done with these values. */
        Failure422: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The Idempotency-Key is in use. */
        Failure409b: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such record in this workspace. */
        Failure404: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A conflict with what is there. */
        Failure409bb: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The record has another version than those that `If-Match` names. */
        Failure412: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                ETag: string;
                /** @description What the answer depends on beside its address. */
                Vary: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Well-formed, but it cannot be done with these values. */
        Failure422b: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such record in this workspace. */
        Failure404b: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The record has another version than those that `If-Match` names. */
        Failure412b: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit": number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining": number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset": number;
                /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                ETag: string;
                /** @description What the answer depends on beside its address. */
                Vary: string;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The Idempotency-Key belongs to another request. */
        Failure422bb: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
                /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                "Idempotent-Replay"?: "true";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A method other than GET. */
        Failure405: {
            headers: {
                /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                "X-Request-Id": string;
                /** @description Requests a minute of the tenant's plan. */
                "X-RateLimit-Limit"?: number;
                /** @description Requests left in this minute. */
                "X-RateLimit-Remaining"?: number;
                /** @description Unix time when the minute ends. */
                "X-RateLimit-Reset"?: number;
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
    listLeads: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | "email" | "-email" | "stage" | "-stage";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
                stage?: "new" | "contacted" | "qualified" | "unqualified" | "converted";
                source?: string;
                /** @description What your client calls it. */
                external_id?: string;
                assigned_to?: string;
                team_id?: string;
                /** @description In name, e-mail and company, without case and accents. */
                search?: string;
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List leads */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000001",
                     *           "name": "Ana Souza",
                     *           "email": "bia.lima@example.com",
                     *           "phone": "+55 11 98765-4321",
                     *           "company": "Ação Ltda",
                     *           "position": null,
                     *           "source": "site",
                     *           "stage": "new",
                     *           "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "custom_fields": {
                     *             "crm_id": "42"
                     *           },
                     *           "tags": [
                     *             "hot"
                     *           ],
                     *           "external_id": null,
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z",
                     *           "score": null
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *           "name": "Ana Souza",
                     *           "email": "bia.lima@example.com",
                     *           "phone": "+55 11 98765-4321",
                     *           "company": "Ação Ltda",
                     *           "position": null,
                     *           "source": "site",
                     *           "stage": "new",
                     *           "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "custom_fields": {
                     *             "crm_id": "42"
                     *           },
                     *           "tags": [
                     *             "hot"
                     *           ],
                     *           "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z",
                     *           "score": null
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 2,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Lead"][];
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
    createLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "name": "Ana Souza",
                 *       "email": "bia.lima@example.com",
                 *       "phone": "+55 11 98765-4321",
                 *       "company": "Ação Ltda",
                 *       "source": "site",
                 *       "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *       "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *       "custom_fields": {
                 *         "crm_id": "42"
                 *       },
                 *       "tags": [
                 *         "hot"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewLead"];
            };
        };
        responses: {
            /** @description Create a lead */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000051",
                     *         "name": "Ana Souza",
                     *         "email": "bia.lima@example.com",
                     *         "phone": "+55 11 98765-4321",
                     *         "company": "Ação Ltda",
                     *         "position": null,
                     *         "source": "site",
                     *         "stage": "new",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *         "custom_fields": {
                     *           "crm_id": "42"
                     *         },
                     *         "tags": [
                     *           "hot"
                     *         ],
                     *         "external_id": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "score": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000052",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
    batchLeads: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "operations": [
                 *         {
                 *           "method": "create",
                 *           "data": {
                 *             "name": "Ana Souza",
                 *             "email": "bia.lima@example.com",
                 *             "phone": "+55 11 98765-4321",
                 *             "company": "Ação Ltda",
                 *             "source": "site",
                 *             "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *             "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *             "custom_fields": {
                 *               "crm_id": "42"
                 *             },
                 *             "tags": [
                 *               "hot"
                 *             ]
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LeadBatch"];
            };
        };
        responses: {
            /** @description Write many leads at once */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "results": [
                     *           {
                     *             "status": 201,
                     *             "data": {
                     *               "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000053",
                     *               "name": "Ana Souza",
                     *               "email": "bia.lima@example.com",
                     *               "phone": "+55 11 98765-4321",
                     *               "company": "Ação Ltda",
                     *               "position": null,
                     *               "source": "site",
                     *               "stage": "new",
                     *               "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *               "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *               "custom_fields": {
                     *                 "crm_id": "42"
                     *               },
                     *               "tags": [
                     *                 "hot"
                     *               ],
                     *               "external_id": null,
                     *               "created_at": "2026-03-02T14:05:09.123456Z",
                     *               "updated_at": "2026-03-02T14:05:09.123456Z",
                     *               "score": null
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000054",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** @description In the order of the operations. */
                            results: {
                                /** @description What the operation alone would have been answered with. */
                                status: number;
                                /** @description The record, where the operation made or changed it. */
                                data?: {
                                    /** Format: uuid */
                                    id: string;
                                    name: string;
                                    email: string;
                                    phone: string | null;
                                    company: string | null;
                                    position: string | null;
                                    source: string | null;
                                    /** @enum {string} */
                                    stage: "new" | "contacted" | "qualified" | "unqualified" | "converted";
                                    /** Format: uuid */
                                    assigned_to: string | null;
                                    /** Format: uuid */
                                    team_id: string | null;
                                    custom_fields: {
                                        [key: string]: unknown;
                                    };
                                    tags: string[];
                                    /** @description What your client calls it. */
                                    external_id: string | null;
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
                                    score: number | null;
                                };
                                error?: {
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
                                     * @description The record that has the e-mail or the external id already.
                                     */
                                    existing_id?: string;
                                    /**
                                     * Format: uuid
                                     * @description The lead that this one became a part of.
                                     */
                                    merged_into?: string;
                                    /** @description The record as it is, where `If-Match` named another version. */
                                    current?: {
                                        [key: string]: unknown;
                                    };
                                };
                            }[];
                        };
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409b"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getLeadByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description What your client calls the record, percent-encoded. */
                external_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a lead by its external id */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "name": "Ana Souza",
                     *         "email": "bia.lima@example.com",
                     *         "phone": "+55 11 98765-4321",
                     *         "company": "Ação Ltda",
                     *         "position": null,
                     *         "source": "site",
                     *         "stage": "new",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *         "custom_fields": {
                     *           "crm_id": "42"
                     *         },
                     *         "tags": [
                     *           "hot"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "score": null,
                     *         "activities": [
                     *           {
                     *             "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000006",
                     *             "type": "call",
                     *             "title": "Call",
                     *             "description": null,
                     *             "date": "2026-03-02T14:05:09.123456Z",
                     *             "due_date": null,
                     *             "duration_minutes": 30,
                     *             "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *             "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *             "created_at": "2026-03-02T14:05:09.123456Z"
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000008",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["LeadWithHistory"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    putLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
                /** @description Only makes a record: 412 where there is one. */
                "If-None-Match"?: "*";
            };
            path: {
                /** @description What your client calls the record, percent-encoded. */
                external_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ana Souza",
                 *       "email": "bia.lima@example.com",
                 *       "phone": "+55 11 98765-4321",
                 *       "company": "Ação Ltda",
                 *       "source": "site",
                 *       "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *       "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *       "custom_fields": {
                 *         "crm_id": "42"
                 *       },
                 *       "tags": [
                 *         "hot"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewLead"] | components["schemas"]["LeadChange"];
            };
        };
        responses: {
            /** @description Make or change a lead by its external id */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "name": "Ana Souza",
                     *         "email": "bia.lima@example.com",
                     *         "phone": "+55 11 98765-4321",
                     *         "company": "Ação Ltda",
                     *         "position": null,
                     *         "source": "site",
                     *         "stage": "new",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *         "custom_fields": {
                     *           "crm_id": "42"
                     *         },
                     *         "tags": [
                     *           "hot"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "score": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000055",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Lead"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description Make or change a lead by its external id: it was made. */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
            409: components["responses"]["Failure409bb"];
            412: components["responses"]["Failure412"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a lead with its history */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "name": "Ana Souza",
                     *         "email": "bia.lima@example.com",
                     *         "phone": "+55 11 98765-4321",
                     *         "company": "Ação Ltda",
                     *         "position": null,
                     *         "source": "site",
                     *         "stage": "new",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *         "custom_fields": {
                     *           "crm_id": "42"
                     *         },
                     *         "tags": [
                     *           "hot"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "score": null,
                     *         "activities": [
                     *           {
                     *             "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000006",
                     *             "type": "call",
                     *             "title": "Call",
                     *             "description": null,
                     *             "date": "2026-03-02T14:05:09.123456Z",
                     *             "due_date": null,
                     *             "duration_minutes": 30,
                     *             "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *             "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *             "created_at": "2026-03-02T14:05:09.123456Z"
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000009",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["LeadWithHistory"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    deleteLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a lead with its history */
            204: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            412: components["responses"]["Failure412"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
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
                 *       "name": "Ana Souza",
                 *       "email": "bia.lima@example.com",
                 *       "phone": "+55 11 98765-4321",
                 *       "company": "Ação Ltda",
                 *       "source": "site",
                 *       "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *       "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *       "custom_fields": {
                 *         "crm_id": "42"
                 *       },
                 *       "tags": [
                 *         "hot"
                 *       ],
                 *       "stage": "qualified"
                 *     }
                 */
                "application/json": components["schemas"]["LeadChange"];
            };
        };
        responses: {
            /** @description Change a lead */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "name": "Ana Souza",
                     *         "email": "bia.lima@example.com",
                     *         "phone": "+55 11 98765-4321",
                     *         "company": "Ação Ltda",
                     *         "position": null,
                     *         "source": "site",
                     *         "stage": "qualified",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *         "custom_fields": {
                     *           "crm_id": "42"
                     *         },
                     *         "tags": [
                     *           "hot"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "score": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000080",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            409: components["responses"]["Failure409bb"];
            412: components["responses"]["Failure412"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422b"];
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
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                type?: "note" | "call" | "email" | "meeting" | "task";
                assigned_to?: string;
                opportunity_id?: string;
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List a lead's history */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000006",
                     *           "type": "call",
                     *           "title": "Call",
                     *           "description": null,
                     *           "date": "2026-03-02T14:05:09.123456Z",
                     *           "due_date": null,
                     *           "duration_minutes": 30,
                     *           "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *           "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "created_at": "2026-03-02T14:05:09.123456Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Activity"][];
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
    convertLead: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "deal_name": "Plan",
                 *       "deal_value": 10,
                 *       "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010"
                 *     }
                 */
                "application/json": components["schemas"]["Conversion"];
            };
        };
        responses: {
            /** @description Make a deal of a lead */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "lead": {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *           "name": "Ana Souza",
                     *           "email": "bia.lima@example.com",
                     *           "phone": "+55 11 98765-4321",
                     *           "company": "Ação Ltda",
                     *           "position": null,
                     *           "source": "site",
                     *           "stage": "converted",
                     *           "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "custom_fields": {
                     *             "crm_id": "42"
                     *           },
                     *           "tags": [
                     *             "hot"
                     *           ],
                     *           "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z",
                     *           "score": null
                     *         },
                     *         "deal": {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000103",
                     *           "name": "Plan",
                     *           "value": 10,
                     *           "stage": "Prospecting",
                     *           "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *           "probability": 10,
                     *           "contact": {
                     *             "name": "Ana Souza",
                     *             "email": "bia.lima@example.com",
                     *             "company": "Ação Ltda"
                     *           },
                     *           "status": "open",
                     *           "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "expected_close_date": null,
                     *           "priority": "medium",
                     *           "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *           "custom_fields": {},
                     *           "tags": [],
                     *           "external_id": null,
                     *           "loss_reason": null,
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z",
                     *           "currency": "BRL",
                     *           "products": []
                     *         }
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000104",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Converted"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            412: components["responses"]["Failure412b"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    mergeLeads: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                 *       "loser_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["Merging"];
            };
        };
        responses: {
            /** @description Merge two leads into one */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "name": "Ana Souza",
                     *         "email": "bia.lima@example.com",
                     *         "phone": "+55 11 98765-4321",
                     *         "company": "Ação Ltda",
                     *         "position": null,
                     *         "source": "site",
                     *         "stage": "qualified",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *         "custom_fields": {
                     *           "crm_id": "42"
                     *         },
                     *         "tags": [
                     *           "hot"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "score": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000081",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Lead"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409b"];
            412: components["responses"]["Failure412b"];
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
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
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
                /** @description What your client calls it. */
                external_id?: string;
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List deals */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *           "name": "Yearly plan",
                     *           "value": 1250.5,
                     *           "stage": "Prospecting",
                     *           "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *           "probability": 10,
                     *           "contact": {
                     *             "name": "Ana",
                     *             "email": "ana@example.com",
                     *             "company": null
                     *           },
                     *           "status": "open",
                     *           "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "expected_close_date": "2026-12-31",
                     *           "priority": "high",
                     *           "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *           "custom_fields": {},
                     *           "tags": [
                     *             "new"
                     *           ],
                     *           "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *           "loss_reason": null,
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z",
                     *           "currency": "BRL",
                     *           "products": []
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
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
    createDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "name": "Yearly plan",
                 *       "value": 1250.5,
                 *       "stage": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                 *       "contact": {
                 *         "name": "Ana",
                 *         "email": "ana@example.com"
                 *       },
                 *       "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *       "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004"
                 *     }
                 */
                "application/json": components["schemas"]["NewOpportunity"];
            };
        };
        responses: {
            /** @description Create a deal */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000056",
                     *         "name": "Yearly plan",
                     *         "value": 1250.5,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "expected_close_date": null,
                     *         "priority": "medium",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "custom_fields": {},
                     *         "tags": [],
                     *         "external_id": null,
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000057",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            409: components["responses"]["Failure409b"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    batchDeals: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "operations": [
                 *         {
                 *           "method": "create",
                 *           "data": {
                 *             "name": "Yearly plan",
                 *             "value": 1250.5,
                 *             "stage": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                 *             "contact": {
                 *               "name": "Ana",
                 *               "email": "ana@example.com"
                 *             },
                 *             "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *             "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DealBatch"];
            };
        };
        responses: {
            /** @description Write many deals at once */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "results": [
                     *           {
                     *             "status": 201,
                     *             "data": {
                     *               "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000058",
                     *               "name": "Yearly plan",
                     *               "value": 1250.5,
                     *               "stage": "Prospecting",
                     *               "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *               "probability": 10,
                     *               "contact": {
                     *                 "name": "Ana",
                     *                 "email": "ana@example.com",
                     *                 "company": null
                     *               },
                     *               "status": "open",
                     *               "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *               "expected_close_date": null,
                     *               "priority": "medium",
                     *               "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *               "custom_fields": {},
                     *               "tags": [],
                     *               "external_id": null,
                     *               "loss_reason": null,
                     *               "created_at": "2026-03-02T14:05:09.123456Z",
                     *               "updated_at": "2026-03-02T14:05:09.123456Z",
                     *               "currency": "BRL",
                     *               "products": []
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000059",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** @description In the order of the operations. */
                            results: {
                                /** @description What the operation alone would have been answered with. */
                                status: number;
                                /** @description The record, where the operation made or changed it. */
                                data?: {
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
                                    /** @description What your client calls it. */
                                    external_id: string | null;
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
                                    currency: string;
                                    products: {
                                        [key: string]: unknown;
                                    }[];
                                };
                                error?: {
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
                                     * @description The record that has the e-mail or the external id already.
                                     */
                                    existing_id?: string;
                                    /**
                                     * Format: uuid
                                     * @description The lead that this one became a part of.
                                     */
                                    merged_into?: string;
                                    /** @description The record as it is, where `If-Match` named another version. */
                                    current?: {
                                        [key: string]: unknown;
                                    };
                                };
                            }[];
                        };
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409b"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getDealByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description What your client calls the record, percent-encoded. */
                external_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a deal by its external id */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *         "name": "Yearly plan",
                     *         "value": 1250.5,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000011",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    putDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
                /** @description Only makes a record: 412 where there is one. */
                "If-None-Match"?: "*";
            };
            path: {
                /** @description What your client calls the record, percent-encoded. */
                external_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Yearly plan",
                 *       "value": 1250.5,
                 *       "stage": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                 *       "contact": {
                 *         "name": "Ana",
                 *         "email": "ana@example.com"
                 *       },
                 *       "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *       "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004"
                 *     }
                 */
                "application/json": components["schemas"]["NewOpportunity"] | components["schemas"]["OpportunityChange"];
            };
        };
        responses: {
            /** @description Make or change a deal by its external id */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *         "name": "Yearly plan",
                     *         "value": 1250.5,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000060",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description Make or change a deal by its external id: it was made. */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
            409: components["responses"]["Failure409bb"];
            412: components["responses"]["Failure412"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a deal */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *         "name": "Yearly plan",
                     *         "value": 1250.5,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000012",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    deleteDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete a deal */
            204: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            412: components["responses"]["Failure412"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
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
                 *       "name": "Yearly plan",
                 *       "value": 7,
                 *       "stage": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                 *       "contact": {
                 *         "name": "Ana",
                 *         "email": "ana@example.com"
                 *       },
                 *       "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *       "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004"
                 *     }
                 */
                "application/json": components["schemas"]["OpportunityChange"];
            };
        };
        responses: {
            /** @description Change a deal */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *         "name": "Yearly plan",
                     *         "value": 7,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000082",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            409: components["responses"]["Failure409bb"];
            412: components["responses"]["Failure412"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    moveDeal: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                 *       "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                 *       "note": "They called."
                 *     }
                 */
                "application/json": components["schemas"]["OpportunityMove"];
            };
        };
        responses: {
            /** @description Move a deal to another stage */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *         "name": "Yearly plan",
                     *         "value": 7,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000083",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            412: components["responses"]["Failure412b"];
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                 *       "status": "lost",
                 *       "loss_reason": "Price",
                 *       "close_notes": "Next year."
                 *     }
                 */
                "application/json": components["schemas"]["OpportunityClosing"];
            };
        };
        responses: {
            /** @description Win or lose a deal */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *         "name": "Yearly plan",
                     *         "value": 7,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "lost",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "loss_reason": "Price",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000105",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            412: components["responses"]["Failure412b"];
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
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                type?: "note" | "call" | "email" | "meeting" | "task";
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the activities of a deal */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000006",
                     *           "type": "call",
                     *           "title": "Call",
                     *           "description": null,
                     *           "date": "2026-03-02T14:05:09.123456Z",
                     *           "due_date": null,
                     *           "duration_minutes": 30,
                     *           "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *           "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "created_at": "2026-03-02T14:05:09.123456Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Activity"][];
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
    createDealActivity: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                 *       "type": "call",
                 *       "title": "Call",
                 *       "date": "2026-01-02",
                 *       "duration_minutes": 30
                 *     }
                 */
                "application/json": components["schemas"]["NewDealActivity"];
            };
        };
        responses: {
            /** @description Log an activity of a deal */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000084",
                     *         "type": "call",
                     *         "title": "Call",
                     *         "description": null,
                     *         "date": "2026-03-02T14:05:09.123456Z",
                     *         "due_date": null,
                     *         "duration_minutes": 30,
                     *         "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "created_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000085",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Activity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409b"];
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
                /** @description - before it for descending; `-created_at` when absent. */
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
                /** @description What your client calls it. */
                external_id?: string;
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List opportunities */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000013",
                     *           "name": "Yearly plan",
                     *           "value": 1250.5,
                     *           "stage": "Prospecting",
                     *           "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                     *           "probability": 10,
                     *           "contact": {
                     *             "name": "Ana",
                     *             "email": "ana@example.com",
                     *             "company": null
                     *           },
                     *           "status": "open",
                     *           "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *           "expected_close_date": "2026-12-31",
                     *           "priority": "high",
                     *           "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016",
                     *           "custom_fields": {},
                     *           "tags": [
                     *             "new"
                     *           ],
                     *           "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000017",
                     *           "loss_reason": null,
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z",
                     *           "currency": "BRL",
                     *           "products": []
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "name": "Yearly plan",
                 *       "value": 1250.5,
                 *       "stage": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                 *       "contact": {
                 *         "name": "Ana",
                 *         "email": "ana@example.com"
                 *       },
                 *       "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                 *       "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016"
                 *     }
                 */
                "application/json": components["schemas"]["NewOpportunity"];
            };
        };
        responses: {
            /** @description Create an opportunity */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000061",
                     *         "name": "Yearly plan",
                     *         "value": 1250.5,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *         "expected_close_date": null,
                     *         "priority": "medium",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016",
                     *         "custom_fields": {},
                     *         "tags": [],
                     *         "external_id": null,
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000062",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            409: components["responses"]["Failure409b"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    batchOpportunities: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "operations": [
                 *         {
                 *           "method": "create",
                 *           "data": {
                 *             "name": "Yearly plan",
                 *             "value": 1250.5,
                 *             "stage": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                 *             "contact": {
                 *               "name": "Ana",
                 *               "email": "ana@example.com"
                 *             },
                 *             "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                 *             "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OpportunityBatch"];
            };
        };
        responses: {
            /** @description Write many opportunities at once */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "results": [
                     *           {
                     *             "status": 201,
                     *             "data": {
                     *               "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000063",
                     *               "name": "Yearly plan",
                     *               "value": 1250.5,
                     *               "stage": "Prospecting",
                     *               "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                     *               "probability": 10,
                     *               "contact": {
                     *                 "name": "Ana",
                     *                 "email": "ana@example.com",
                     *                 "company": null
                     *               },
                     *               "status": "open",
                     *               "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *               "expected_close_date": null,
                     *               "priority": "medium",
                     *               "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016",
                     *               "custom_fields": {},
                     *               "tags": [],
                     *               "external_id": null,
                     *               "loss_reason": null,
                     *               "created_at": "2026-03-02T14:05:09.123456Z",
                     *               "updated_at": "2026-03-02T14:05:09.123456Z",
                     *               "currency": "BRL",
                     *               "products": []
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000064",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** @description In the order of the operations. */
                            results: {
                                /** @description What the operation alone would have been answered with. */
                                status: number;
                                /** @description The record, where the operation made or changed it. */
                                data?: {
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
                                    /** @description What your client calls it. */
                                    external_id: string | null;
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
                                    currency: string;
                                    products: {
                                        [key: string]: unknown;
                                    }[];
                                };
                                error?: {
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
                                     * @description The record that has the e-mail or the external id already.
                                     */
                                    existing_id?: string;
                                    /**
                                     * Format: uuid
                                     * @description The lead that this one became a part of.
                                     */
                                    merged_into?: string;
                                    /** @description The record as it is, where `If-Match` named another version. */
                                    current?: {
                                        [key: string]: unknown;
                                    };
                                };
                            }[];
                        };
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409b"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getOpportunityByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description What your client calls the record, percent-encoded. */
                external_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an opportunity by its external id */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000013",
                     *         "name": "Yearly plan",
                     *         "value": 1250.5,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000017",
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000018",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    putOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
                /** @description Only makes a record: 412 where there is one. */
                "If-None-Match"?: "*";
            };
            path: {
                /** @description What your client calls the record, percent-encoded. */
                external_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Yearly plan",
                 *       "value": 1250.5,
                 *       "stage": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                 *       "contact": {
                 *         "name": "Ana",
                 *         "email": "ana@example.com"
                 *       },
                 *       "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                 *       "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016"
                 *     }
                 */
                "application/json": components["schemas"]["NewOpportunity"] | components["schemas"]["OpportunityChange"];
            };
        };
        responses: {
            /** @description Make or change an opportunity by its external id */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000013",
                     *         "name": "Yearly plan",
                     *         "value": 1250.5,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000017",
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000065",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description Make or change an opportunity by its external id: it was made. */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
            409: components["responses"]["Failure409bb"];
            412: components["responses"]["Failure412"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get an opportunity */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000013",
                     *         "name": "Yearly plan",
                     *         "value": 1250.5,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000017",
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000019",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    deleteOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Delete an opportunity */
            204: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            412: components["responses"]["Failure412"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
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
                 *       "name": "Yearly plan",
                 *       "value": 7,
                 *       "stage": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                 *       "contact": {
                 *         "name": "Ana",
                 *         "email": "ana@example.com"
                 *       },
                 *       "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                 *       "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016"
                 *     }
                 */
                "application/json": components["schemas"]["OpportunityChange"];
            };
        };
        responses: {
            /** @description Change an opportunity */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000013",
                     *         "name": "Yearly plan",
                     *         "value": 7,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000017",
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000086",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            409: components["responses"]["Failure409bb"];
            412: components["responses"]["Failure412"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    moveOpportunity: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                 *       "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                 *       "note": "They called."
                 *     }
                 */
                "application/json": components["schemas"]["OpportunityMove"];
            };
        };
        responses: {
            /** @description Move an opportunity to another stage */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000013",
                     *         "name": "Yearly plan",
                     *         "value": 7,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "open",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000017",
                     *         "loss_reason": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000087",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            412: components["responses"]["Failure412b"];
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                 *       "status": "lost",
                 *       "loss_reason": "Price",
                 *       "close_notes": "Next year."
                 *     }
                 */
                "application/json": components["schemas"]["OpportunityClosing"];
            };
        };
        responses: {
            /** @description Win or lose an opportunity */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000013",
                     *         "name": "Yearly plan",
                     *         "value": 7,
                     *         "stage": "Prospecting",
                     *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                     *         "probability": 10,
                     *         "contact": {
                     *           "name": "Ana",
                     *           "email": "ana@example.com",
                     *           "company": null
                     *         },
                     *         "status": "lost",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *         "expected_close_date": "2026-12-31",
                     *         "priority": "high",
                     *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000016",
                     *         "custom_fields": {},
                     *         "tags": [
                     *           "new"
                     *         ],
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000017",
                     *         "loss_reason": "Price",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "currency": "BRL",
                     *         "products": []
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000106",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Opportunity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            412: components["responses"]["Failure412b"];
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
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                type?: "note" | "call" | "email" | "meeting" | "task";
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the activities of an opportunity */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000020",
                     *           "type": "call",
                     *           "title": "Call",
                     *           "description": null,
                     *           "date": "2026-03-02T14:05:09.123456Z",
                     *           "due_date": null,
                     *           "duration_minutes": 30,
                     *           "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000013",
                     *           "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *           "created_at": "2026-03-02T14:05:09.123456Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Activity"][];
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                 *       "type": "call",
                 *       "title": "Call",
                 *       "date": "2026-01-02",
                 *       "duration_minutes": 30
                 *     }
                 */
                "application/json": components["schemas"]["NewDealActivity"];
            };
        };
        responses: {
            /** @description Log an activity of an opportunity */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000088",
                     *         "type": "call",
                     *         "title": "Call",
                     *         "description": null,
                     *         "date": "2026-03-02T14:05:09.123456Z",
                     *         "due_date": null,
                     *         "duration_minutes": 30,
                     *         "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000013",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000015",
                     *         "created_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000089",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Activity"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409b"];
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the stages of the pipeline, in order */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                     *           "name": "Prospecting",
                     *           "order": 1,
                     *           "probability": 10
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000021",
                     *           "name": "Qualification",
                     *           "order": 2,
                     *           "probability": 25
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000022",
                     *           "name": "Proposal",
                     *           "order": 3,
                     *           "probability": 50
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000023",
                     *           "name": "Negotiation",
                     *           "order": 4,
                     *           "probability": 75
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Stage"][];
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the stages of the pipeline, in order */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000014",
                     *           "name": "Prospecting",
                     *           "order": 1,
                     *           "probability": 10
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000024",
                     *           "name": "Qualification",
                     *           "order": 2,
                     *           "probability": 25
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000025",
                     *           "name": "Proposal",
                     *           "order": 3,
                     *           "probability": 50
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000026",
                     *           "name": "Negotiation",
                     *           "order": 4,
                     *           "probability": 75
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Stage"][];
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
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                type?: "note" | "call" | "email" | "meeting" | "task";
                assigned_to?: string;
                opportunity_id?: string;
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List activities */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000006",
                     *           "type": "call",
                     *           "title": "Call",
                     *           "description": null,
                     *           "date": "2026-03-02T14:05:09.123456Z",
                     *           "due_date": null,
                     *           "duration_minutes": 30,
                     *           "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *           "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "created_at": "2026-03-02T14:05:09.123456Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Activity"][];
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
    createActivity: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "type": "call",
                 *       "title": "Call",
                 *       "date": "2026-01-02",
                 *       "duration_minutes": 30,
                 *       "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007"
                 *     }
                 */
                "application/json": components["schemas"]["NewActivity"];
            };
        };
        responses: {
            /** @description Log an activity */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000066",
                     *         "type": "call",
                     *         "title": "Call",
                     *         "description": null,
                     *         "date": "2026-03-02T14:05:09.123456Z",
                     *         "due_date": null,
                     *         "duration_minutes": 30,
                     *         "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "created_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000067",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            409: components["responses"]["Failure409b"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    batchActivities: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "operations": [
                 *         {
                 *           "method": "create",
                 *           "data": {
                 *             "type": "call",
                 *             "title": "Call",
                 *             "date": "2026-01-02",
                 *             "duration_minutes": 30,
                 *             "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ActivityBatch"];
            };
        };
        responses: {
            /** @description Write many activities at once */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "results": [
                     *           {
                     *             "status": 201,
                     *             "data": {
                     *               "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000068",
                     *               "type": "call",
                     *               "title": "Call",
                     *               "description": null,
                     *               "date": "2026-03-02T14:05:09.123456Z",
                     *               "due_date": null,
                     *               "duration_minutes": 30,
                     *               "opportunity_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                     *               "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *               "created_at": "2026-03-02T14:05:09.123456Z"
                     *             }
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000069",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** @description In the order of the operations. */
                            results: {
                                /** @description What the operation alone would have been answered with. */
                                status: number;
                                /** @description The record, where the operation made or changed it. */
                                data?: {
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
                                    opportunity_id: string | null;
                                    /** Format: uuid */
                                    assigned_to: string | null;
                                    /**
                                     * Format: date-time
                                     * @description UTC, with microseconds.
                                     */
                                    created_at: string;
                                };
                                error?: {
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
                                     * @description The record that has the e-mail or the external id already.
                                     */
                                    existing_id?: string;
                                    /**
                                     * Format: uuid
                                     * @description The lead that this one became a part of.
                                     */
                                    merged_into?: string;
                                    /** @description The record as it is, where `If-Match` named another version. */
                                    current?: {
                                        [key: string]: unknown;
                                    };
                                };
                            }[];
                        };
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409b"];
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
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | "email" | "-email" | "total_points" | "-total_points";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
                role?: "admin" | "manager" | "viewer" | "seller";
                team_id?: string;
                /** @description What your client calls it. */
                external_id?: string;
                status?: "active" | "inactive" | "pending";
                /** @description In name and e-mail, without case and accents. */
                search?: string;
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List users */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000027",
                     *           "name": "Caio Reis",
                     *           "email": "bia.lima@example.com",
                     *           "phone": null,
                     *           "avatar_url": null,
                     *           "role": "seller",
                     *           "team": {
                     *             "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *             "name": "Sales"
                     *           },
                     *           "status": "pending",
                     *           "ranking_tier": null,
                     *           "total_points": 0,
                     *           "external_id": null,
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z",
                     *           "last_active_at": null
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "name": "Bia Lima",
                     *           "email": "bia.lima@example.com",
                     *           "phone": null,
                     *           "avatar_url": null,
                     *           "role": "seller",
                     *           "team": {
                     *             "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *             "name": "Sales"
                     *           },
                     *           "status": "pending",
                     *           "ranking_tier": null,
                     *           "total_points": 15,
                     *           "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z",
                     *           "last_active_at": null
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 2,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["User"][];
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
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "name": "Bia Lima",
                 *       "email": "bia.lima@example.com",
                 *       "role": "seller",
                 *       "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003"
                 *     }
                 */
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description Invite a user */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000070",
                     *         "name": "Bia Lima",
                     *         "email": "bia.lima@example.com",
                     *         "phone": null,
                     *         "avatar_url": null,
                     *         "role": "seller",
                     *         "team": {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "name": "Sales"
                     *         },
                     *         "status": "pending",
                     *         "ranking_tier": null,
                     *         "total_points": 0,
                     *         "external_id": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "last_active_at": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000071",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get the user that the client acts for */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "name": "Bia Lima",
                     *         "email": "bia.lima@example.com",
                     *         "phone": null,
                     *         "avatar_url": null,
                     *         "role": "seller",
                     *         "team": {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "name": "Sales"
                     *         },
                     *         "status": "pending",
                     *         "ranking_tier": null,
                     *         "total_points": 15,
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "last_active_at": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000028",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    getUserByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description What your client calls the record, percent-encoded. */
                external_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a user by its external id */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "name": "Bia Lima",
                     *         "email": "bia.lima@example.com",
                     *         "phone": null,
                     *         "avatar_url": null,
                     *         "role": "seller",
                     *         "team": {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "name": "Sales"
                     *         },
                     *         "status": "pending",
                     *         "ranking_tier": null,
                     *         "total_points": 15,
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "last_active_at": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000029",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    putUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
                /** @description Only makes a record: 412 where there is one. */
                "If-None-Match"?: "*";
            };
            path: {
                /** @description What your client calls the record, percent-encoded. */
                external_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Bia Lima",
                 *       "email": "bia.lima@example.com",
                 *       "role": "seller",
                 *       "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003"
                 *     }
                 */
                "application/json": components["schemas"]["NewUser"] | components["schemas"]["UserChange"];
            };
        };
        responses: {
            /** @description Make or change a user by its external id */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "name": "Bia Lima",
                     *         "email": "bia.lima@example.com",
                     *         "phone": null,
                     *         "avatar_url": null,
                     *         "role": "seller",
                     *         "team": {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "name": "Sales"
                     *         },
                     *         "status": "pending",
                     *         "ranking_tier": null,
                     *         "total_points": 15,
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "last_active_at": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000072",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description Make or change a user by its external id: it was made. */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
            409: components["responses"]["Failure409bb"];
            412: components["responses"]["Failure412"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a user */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "name": "Bia Lima",
                     *         "email": "bia.lima@example.com",
                     *         "phone": null,
                     *         "avatar_url": null,
                     *         "role": "seller",
                     *         "team": {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "name": "Sales"
                     *         },
                     *         "status": "pending",
                     *         "ranking_tier": null,
                     *         "total_points": 15,
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "last_active_at": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000030",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    removeUser: {
        parameters: {
            query?: {
                /** @description false when absent: deactivated. */
                permanent?: "true" | "false";
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deactivate a user, or remove one for good */
            204: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            412: components["responses"]["Failure412"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
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
                 *       "name": "Bia",
                 *       "role": "manager",
                 *       "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003"
                 *     }
                 */
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            /** @description Change a user */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "name": "Bia",
                     *         "email": "bia.lima@example.com",
                     *         "phone": null,
                     *         "avatar_url": null,
                     *         "role": "manager",
                     *         "team": {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "name": "Sales"
                     *         },
                     *         "status": "pending",
                     *         "ranking_tier": null,
                     *         "total_points": 15,
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "last_active_at": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000090",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            409: components["responses"]["Failure409bb"];
            412: components["responses"]["Failure412"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422b"];
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a user did in a period */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "period": "month",
                     *         "points": 15,
                     *         "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "deals_won": 0,
                     *         "deals_lost": 0,
                     *         "badges_earned": 1,
                     *         "deals_created": 1,
                     *         "leads_created": 2,
                     *         "revenue_closed": 0,
                     *         "conversion_rate": 0,
                     *         "leads_qualified": 0,
                     *         "ranking_position": 1,
                     *         "activities_logged": 1,
                     *         "average_deal_size": 0,
                     *         "average_sales_cycle_days": 0
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000031",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a user did in a period, or between two days */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "period": "month",
                     *         "points": 15,
                     *         "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "deals_won": 0,
                     *         "deals_lost": 0,
                     *         "badges_earned": 1,
                     *         "deals_created": 1,
                     *         "leads_created": 2,
                     *         "revenue_closed": 0,
                     *         "conversion_rate": 0,
                     *         "leads_qualified": 0,
                     *         "ranking_position": 1,
                     *         "activities_logged": 1,
                     *         "average_deal_size": 0,
                     *         "average_sales_cycle_days": 0
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000032",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
    listMissions: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at" | "name" | "-name" | "points" | "-points";
                /** @description Completions of this user alone. */
                user_id?: string;
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List missions */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000033",
                     *           "name": "First calls",
                     *           "points": 10,
                     *           "codes": [
                     *             "001"
                     *           ],
                     *           "completions": 1
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Mission"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getStandings: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                /** @description Of the tenant's calendar, from its start until now; all when absent. */
                period?: "today" | "week" | "month" | "quarter" | "year" | "all";
                /** @description Included. A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                from?: string;
                /** @description Not included; the same forms. */
                to?: string;
                /** @description The time of this season. */
                season?: string;
                /** @description Members of this team alone, with places among them. */
                team_id?: string;
                /** @description `per_page` rows with this user in their middle, as far as there are so many on both sides. */
                around?: string;
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List users and collaborators by points of a time */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "name": "Bia Lima",
                     *           "points": 15,
                     *           "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "position": 1,
                     *           "collaborator_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000034"
                     *         },
                     *         {
                     *           "name": "Caio Reis",
                     *           "points": 0,
                     *           "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000027",
                     *           "position": 2,
                     *           "collaborator_id": null
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 2,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Standing"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listSeasons: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-starts_at` when absent. */
                sort?: "starts_at" | "-starts_at" | "ends_at" | "-ends_at" | "created_at" | "-created_at" | "name" | "-name";
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List seasons */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000035",
                     *           "name": "Summer",
                     *           "starts_at": "2026-03-02T14:05:09.123456Z",
                     *           "ends_at": "2026-03-02T14:05:09.123456Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Season"][];
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
    listBadges: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at" | "name" | "-name" | "threshold" | "-threshold";
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List badges */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000036",
                     *           "name": "First points",
                     *           "metric": "points",
                     *           "threshold": 1,
                     *           "earned_by": 1
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Badge"][];
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
    listChallenges: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at" | "starts_at" | "-starts_at" | "ends_at" | "-ends_at" | "name" | "-name";
                /** @description Progress of this user alone. */
                user_id?: string;
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List challenges with the progress in each */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000037",
                     *           "name": "A hundred points",
                     *           "metric": "points",
                     *           "target": 100,
                     *           "starts_at": "2026-03-02T14:05:09.123456Z",
                     *           "ends_at": "2026-03-02T14:05:09.123456Z",
                     *           "reward_points": 50,
                     *           "progress": [
                     *             {
                     *               "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *               "name": "Bia Lima",
                     *               "value": 15,
                     *               "completed_at": null
                     *             },
                     *             {
                     *               "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000027",
                     *               "name": "Caio Reis",
                     *               "value": 0,
                     *               "completed_at": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Challenge"][];
                        pagination: components["schemas"]["Pagination"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            422: components["responses"]["Failure422b"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    listPoints: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at";
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the entries of a user's points */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": 10,
                     *           "points": 5,
                     *           "reason": "adjustment",
                     *           "note": "Won the quiz",
                     *           "mission_id": null,
                     *           "created_at": "2026-03-02T14:05:09.123456Z"
                     *         },
                     *         {
                     *           "id": 9,
                     *           "points": 10,
                     *           "reason": "mission_completed",
                     *           "note": null,
                     *           "mission_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000033",
                     *           "created_at": "2026-03-02T14:05:09.123456Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 2,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["PointEntry"][];
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
    listEarnedBadges: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-earned_at` when absent. */
                sort?: "earned_at" | "-earned_at" | "name" | "-name";
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the badges of a user */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000036",
                     *           "name": "First points",
                     *           "metric": "points",
                     *           "threshold": 1,
                     *           "earned_by": 1,
                     *           "earned_at": "2026-03-02T14:05:09.123456Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["BadgeOfUser"][];
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
    listInvitations: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-invited_at` when absent. */
                sort?: "invited_at" | "-invited_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                status?: "pending" | "accepted" | "revoked" | "expired";
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List invitations */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000038",
                     *           "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000027",
                     *           "email": "bia.lima@example.com",
                     *           "role": "seller",
                     *           "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "status": "pending",
                     *           "invited_at": "2026-03-02T14:05:09.123456Z",
                     *           "expires_at": "2026-03-02T14:05:09.123456Z"
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000039",
                     *           "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "email": "bia.lima@example.com",
                     *           "role": "seller",
                     *           "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "status": "pending",
                     *           "invited_at": "2026-03-02T14:05:09.123456Z",
                     *           "expires_at": "2026-03-02T14:05:09.123456Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 2,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Invitation"][];
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
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "name": "Bia Lima",
                 *       "email": "bia.lima@example.com",
                 *       "role": "seller",
                 *       "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003"
                 *     }
                 */
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description Invite a user */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000073",
                     *         "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000074",
                     *         "email": "bia.lima@example.com",
                     *         "role": "seller",
                     *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *         "status": "pending",
                     *         "invited_at": "2026-03-02T14:05:09.123456Z",
                     *         "expires_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000075",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Send an invitation again */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000038",
                     *         "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000027",
                     *         "email": "bia.lima@example.com",
                     *         "role": "seller",
                     *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *         "status": "pending",
                     *         "invited_at": "2026-03-02T14:05:09.123456Z",
                     *         "expires_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000091",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Invitation"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422bb"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Take an invitation back */
            204: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            409: components["responses"]["Failure409bb"];
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
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List teams */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000040",
                     *           "name": "Company",
                     *           "leader_id": null,
                     *           "member_count": 0,
                     *           "parent_team_id": null,
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z"
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "name": "Sales",
                     *           "leader_id": null,
                     *           "member_count": 2,
                     *           "parent_team_id": null,
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 2,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Team"][];
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
    createTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "name": "North",
                 *       "leader_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *       "parent_team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000040",
                 *       "member_ids": [
                 *         "5a1c0e7e-52f5-4c5c-9f6e-000000000002"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewTeam"];
            };
        };
        responses: {
            /** @description Create a team */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000076",
                     *         "name": "North",
                     *         "leader_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "member_count": 1,
                     *         "parent_team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000040",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000077",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            409: components["responses"]["Failure409b"];
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Get a team with its members */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *         "name": "Sales",
                     *         "leader_id": null,
                     *         "member_count": 2,
                     *         "parent_team_id": null,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "members": [
                     *           {
                     *             "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *             "name": "Bia Lima",
                     *             "email": "bia.lima@example.com",
                     *             "phone": null,
                     *             "avatar_url": null,
                     *             "role": "seller",
                     *             "team": {
                     *               "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *               "name": "Sales"
                     *             },
                     *             "status": "pending",
                     *             "ranking_tier": null,
                     *             "total_points": 15,
                     *             "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *             "created_at": "2026-03-02T14:05:09.123456Z",
                     *             "updated_at": "2026-03-02T14:05:09.123456Z",
                     *             "last_active_at": null
                     *           },
                     *           {
                     *             "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000027",
                     *             "name": "Caio Reis",
                     *             "email": "bia.lima@example.com",
                     *             "phone": null,
                     *             "avatar_url": null,
                     *             "role": "seller",
                     *             "team": {
                     *               "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *               "name": "Sales"
                     *             },
                     *             "status": "pending",
                     *             "ranking_tier": null,
                     *             "total_points": 0,
                     *             "external_id": null,
                     *             "created_at": "2026-03-02T14:05:09.123456Z",
                     *             "updated_at": "2026-03-02T14:05:09.123456Z",
                     *             "last_active_at": null
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000041",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["TeamWithMembers"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    updateTeam: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
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
                 *       "name": "South",
                 *       "leader_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *       "parent_team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000040"
                 *     }
                 */
                "application/json": components["schemas"]["TeamChange"];
            };
        };
        responses: {
            /** @description Change a team */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *         "name": "South",
                     *         "leader_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "member_count": 4,
                     *         "parent_team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000040",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000092",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            412: components["responses"]["Failure412"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422b"];
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
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | "email" | "-email" | "total_points" | "-total_points";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
                role?: "admin" | "manager" | "viewer" | "seller";
                team_id?: string;
                /** @description What your client calls it. */
                external_id?: string;
                status?: "active" | "inactive" | "pending";
                /** @description In name and e-mail, without case and accents. */
                search?: string;
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List the members of a team */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000027",
                     *           "name": "Caio Reis",
                     *           "email": "bia.lima@example.com",
                     *           "phone": null,
                     *           "avatar_url": null,
                     *           "role": "seller",
                     *           "team": {
                     *             "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *             "name": "Sales"
                     *           },
                     *           "status": "pending",
                     *           "ranking_tier": null,
                     *           "total_points": 0,
                     *           "external_id": null,
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z",
                     *           "last_active_at": null
                     *         },
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *           "name": "Bia Lima",
                     *           "email": "bia.lima@example.com",
                     *           "phone": null,
                     *           "avatar_url": null,
                     *           "role": "seller",
                     *           "team": {
                     *             "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *             "name": "Sales"
                     *           },
                     *           "status": "pending",
                     *           "ranking_tier": null,
                     *           "total_points": 15,
                     *           "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z",
                     *           "last_active_at": null
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 2,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["User"][];
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
    addMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                 *       "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002"
                 *     }
                 */
                "application/json": components["schemas"]["NewMember"];
            };
        };
        responses: {
            /** @description Add a member, who leaves the team they were in */
            201: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *         "name": "Bia",
                     *         "email": "bia.lima@example.com",
                     *         "phone": null,
                     *         "avatar_url": null,
                     *         "role": "manager",
                     *         "team": {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *           "name": "South"
                     *         },
                     *         "status": "pending",
                     *         "ranking_tier": null,
                     *         "total_points": 15,
                     *         "external_id": "crm-5a1c0e7e-52f5-4c5c-9f6e-000000000005",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "last_active_at": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000093",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409b"];
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
            };
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Remove a member */
            204: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
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
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                updated_after?: string;
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List webhooks */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000042",
                     *           "url": "https://crm.example.com/hooks/placar",
                     *           "events": [
                     *             "lead.created",
                     *             "deal.won"
                     *           ],
                     *           "filters": [],
                     *           "changed": [],
                     *           "header_names": [],
                     *           "ordered": false,
                     *           "fold_seconds": null,
                     *           "description": null,
                     *           "active": true,
                     *           "status": "active",
                     *           "public_key": "whpk_rmdgGFHrKvbKlMADODehNXZdOHhbuLNd1A6SAMKlGBQ=",
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "updated_at": "2026-03-02T14:05:09.123456Z"
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
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
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
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
                 *       "url": "https://crm.example.com/hooks/placar",
                 *       "events": [
                 *         "lead.created",
                 *         "deal.won"
                 *       ],
                 *       "secret": "a secret"
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000078",
                     *         "url": "https://crm.example.com/hooks/placar",
                     *         "events": [
                     *           "lead.created",
                     *           "deal.won"
                     *         ],
                     *         "filters": [],
                     *         "changed": [],
                     *         "header_names": [],
                     *         "ordered": false,
                     *         "fold_seconds": null,
                     *         "description": null,
                     *         "active": true,
                     *         "status": "active",
                     *         "public_key": "whpk_nst99piA/PIfEGANqxgAs9ybDuOWXMr8DMGToBWJ8Vc=",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z",
                     *         "secret": "a secret"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000079",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description What `ETag` said of the record: 304 where it still says so. */
                "If-None-Match"?: string;
            };
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000042",
                     *         "url": "https://crm.example.com/hooks/placar",
                     *         "events": [
                     *           "lead.created",
                     *           "deal.won"
                     *         ],
                     *         "filters": [],
                     *         "changed": [],
                     *         "header_names": [],
                     *         "ordered": false,
                     *         "fold_seconds": null,
                     *         "description": null,
                     *         "active": true,
                     *         "status": "active",
                     *         "public_key": "whpk_rmdgGFHrKvbKlMADODehNXZdOHhbuLNd1A6SAMKlGBQ=",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000043",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description The caller has it. */
            304: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
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
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
            };
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404"];
            412: components["responses"]["Failure412"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is. */
                "If-Match"?: string;
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
                 *       "url": "https://crm.example.com/hooks/placar",
                 *       "events": [
                 *         "lead.created",
                 *         "deal.won"
                 *       ],
                 *       "secret": "a secret",
                 *       "active": true,
                 *       "filters": [
                 *         {
                 *           "field": "source",
                 *           "op": "in",
                 *           "value": [
                 *             "website",
                 *             "fair"
                 *           ]
                 *         }
                 *       ],
                 *       "changed": [
                 *         "email",
                 *         "phone"
                 *       ],
                 *       "headers": {
                 *         "Authorization": "Bearer of-the-receiver"
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description Version of the record, in quotes, for `If-Match` and `If-None-Match`. */
                    ETag: string;
                    /** @description What the answer depends on beside its address. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000042",
                     *         "url": "https://crm.example.com/hooks/placar",
                     *         "events": [
                     *           "lead.created",
                     *           "deal.won"
                     *         ],
                     *         "filters": [
                     *           {
                     *             "op": "in",
                     *             "field": "source",
                     *             "value": [
                     *               "website",
                     *               "fair"
                     *             ]
                     *           }
                     *         ],
                     *         "changed": [
                     *           "email",
                     *           "phone"
                     *         ],
                     *         "header_names": [
                     *           "Authorization"
                     *         ],
                     *         "ordered": false,
                     *         "fold_seconds": null,
                     *         "description": null,
                     *         "active": true,
                     *         "status": "active",
                     *         "public_key": "whpk_rmdgGFHrKvbKlMADODehNXZdOHhbuLNd1A6SAMKlGBQ=",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000094",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            409: components["responses"]["Failure409bb"];
            412: components["responses"]["Failure412"];
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
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "OKP",
                     *           "crv": "Ed25519",
                     *           "x": "rmdgGFHrKvbKlMADODehNXZdOHhbuLNd1A6SAMKlGBQ",
                     *           "use": "sig",
                     *           "alg": "EdDSA",
                     *           "kid": "dNqVJJYYqOvOv9yW_Ez1DWuVwpAvKHgHZ5l-VmQGUCk"
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
            404: components["responses"]["Failure404"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    pauseWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000042",
                     *         "url": "https://crm.example.com/hooks/placar",
                     *         "events": [
                     *           "lead.created",
                     *           "deal.won"
                     *         ],
                     *         "filters": [
                     *           {
                     *             "op": "in",
                     *             "field": "source",
                     *             "value": [
                     *               "website",
                     *               "fair"
                     *             ]
                     *           }
                     *         ],
                     *         "changed": [
                     *           "email",
                     *           "phone"
                     *         ],
                     *         "header_names": [
                     *           "Authorization"
                     *         ],
                     *         "ordered": false,
                     *         "fold_seconds": null,
                     *         "description": null,
                     *         "active": true,
                     *         "status": "paused",
                     *         "public_key": "whpk_rmdgGFHrKvbKlMADODehNXZdOHhbuLNd1A6SAMKlGBQ=",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000095",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422bb"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    resumeWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000042",
                     *         "url": "https://crm.example.com/hooks/placar",
                     *         "events": [
                     *           "lead.created",
                     *           "deal.won"
                     *         ],
                     *         "filters": [
                     *           {
                     *             "op": "in",
                     *             "field": "source",
                     *             "value": [
                     *               "website",
                     *               "fair"
                     *             ]
                     *           }
                     *         ],
                     *         "changed": [
                     *           "email",
                     *           "phone"
                     *         ],
                     *         "header_names": [
                     *           "Authorization"
                     *         ],
                     *         "ordered": false,
                     *         "fold_seconds": null,
                     *         "description": null,
                     *         "active": true,
                     *         "status": "active",
                     *         "public_key": "whpk_rmdgGFHrKvbKlMADODehNXZdOHhbuLNd1A6SAMKlGBQ=",
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "updated_at": "2026-03-02T14:05:09.123456Z"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000096",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422bb"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "event_id": "evt_01kdvc2v0me5rtj6wm00000098",
                     *         "delivery_id": "whd_01kdvc2v0me5rtj6wm00000099"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000097",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422bb"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000100",
                     *         "sent": 0,
                     *         "total": 0,
                     *         "status": "done"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000101",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Replay"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422bb"];
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
            503: components["responses"]["Failure503"];
        };
    };
    getReplay: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000044",
                     *         "sent": 0,
                     *         "total": 0,
                     *         "status": "done"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000045",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Replay"];
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
    listDeliveries: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description 20 when absent. */
                per_page?: number;
                /** @description - before it for descending; `-created_at` when absent. */
                sort?: "created_at" | "-created_at";
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_after?: string;
                /** @description A timestamp with an offset, or a date: its midnight in the tenant's time zone. */
                created_before?: string;
                status?: "pending" | "delivered" | "failed";
            };
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description List a webhook's deliveries */
            200: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "whd_01kdvc2v0me5rtj6wm00000046",
                     *           "event_id": "evt_01kdvc2v0me5rtj6wm00000047",
                     *           "event_type": "webhook.test",
                     *           "payload": {
                     *             "id": "evt_01kdvc2v0me5rtj6wm00000047",
                     *             "type": "webhook.test",
                     *             "created_at": "2026-03-02T14:05:09.123Z",
                     *             "data": {
                     *               "webhook_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000042"
                     *             }
                     *           },
                     *           "response_status": 200,
                     *           "response_time_ms": 12,
                     *           "status": "delivered",
                     *           "success": true,
                     *           "error": null,
                     *           "response_excerpt": "{\"received\":true}",
                     *           "attempts": [
                     *             {
                     *               "at": "2026-03-02T14:05:09.123456Z",
                     *               "error": null,
                     *               "status": 200,
                     *               "duration_ms": 12
                     *             }
                     *           ],
                     *           "retry_count": 0,
                     *           "created_at": "2026-03-02T14:05:09.123456Z",
                     *           "next_attempt_at": null
                     *         }
                     *       ],
                     *       "pagination": {
                     *         "page": 1,
                     *         "per_page": 20,
                     *         "total": 1,
                     *         "total_pages": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
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
    getDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
            path: {
                id: string;
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "whd_01kdvc2v0me5rtj6wm00000046",
                     *         "event_id": "evt_01kdvc2v0me5rtj6wm00000047",
                     *         "event_type": "webhook.test",
                     *         "payload": {
                     *           "id": "evt_01kdvc2v0me5rtj6wm00000047",
                     *           "type": "webhook.test",
                     *           "created_at": "2026-03-02T14:05:09.123Z",
                     *           "data": {
                     *             "webhook_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000042"
                     *           }
                     *         },
                     *         "response_status": 200,
                     *         "response_time_ms": 12,
                     *         "status": "delivered",
                     *         "success": true,
                     *         "error": null,
                     *         "response_excerpt": "{\"received\":true}",
                     *         "attempts": [
                     *           {
                     *             "at": "2026-03-02T14:05:09.123456Z",
                     *             "error": null,
                     *             "status": 200,
                     *             "duration_ms": 12
                     *           }
                     *         ],
                     *         "retry_count": 0,
                     *         "created_at": "2026-03-02T14:05:09.123456Z",
                     *         "next_attempt_at": null
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000048",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Delivery"];
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
    replayDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
                /** @description Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces. */
                "X-Origin"?: string;
                /** @description true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so. */
                "X-Silent"?: "true" | "false";
                /** @description The same request with the same key is done once, and answered alike for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    /** @description `true` where an earlier request with this key was answered so, and this is that answer again. */
                    "Idempotent-Replay"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "delivery_id": "whd_01kdvc2v0me5rtj6wm00000046"
                     *       },
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000102",
                     *         "timestamp": "2026-03-02T14:05:09.123Z"
                     *       }
                     *     }
                     */
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
            404: components["responses"]["Failure404b"];
            408: components["responses"]["Failure408"];
            409: components["responses"]["Failure409"];
            413: components["responses"]["Failure413"];
            415: components["responses"]["Failure415"];
            422: components["responses"]["Failure422bb"];
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
            header?: {
                /** @description This naming; not needed where it is the client's own. Others have documents of their own. */
                "X-Api-Variant"?: "c";
            };
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "evt_01kdvc2v0me5rtj6wm00000050",
                     *           "type": "lead.created",
                     *           "created_at": "2026-03-02T14:05:09.123Z",
                     *           "data": {
                     *             "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                     *             "name": "Ana Souza",
                     *             "email": "bia.lima@example.com",
                     *             "phone": "+55 11 98765-4321",
                     *             "company": "Ação Ltda",
                     *             "position": null,
                     *             "source": "site",
                     *             "stage": "new",
                     *             "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                     *             "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                     *             "custom_fields": {
                     *               "crm_id": "42"
                     *             },
                     *             "tags": [
                     *               "hot"
                     *             ],
                     *             "external_id": null,
                     *             "created_at": "2026-03-02T14:05:09.123456Z",
                     *             "updated_at": "2026-03-02T14:05:09.123456Z",
                     *             "score": null
                     *           },
                     *           "changed": [],
                     *           "silent": false,
                     *           "cursor": "AAAAAAAEtuiGThyPTwoi"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "request_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000049",
                     *         "timestamp": "2026-03-02T14:05:09.123Z",
                     *         "next_cursor": "AAAAAAAEtuiGThyPTwoi",
                     *         "has_more": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: ({
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "lead.created";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Lead"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "lead.updated";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Lead"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "lead.stage_changed";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Lead"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "lead.converted";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Lead"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "lead.merged";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["MergedLead"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "lead.deleted";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Lead"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "deal.created";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Opportunity"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "deal.updated";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Opportunity"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "deal.stage_changed";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["MovedDeal"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "deal.won";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["WonDeal"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "deal.lost";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Opportunity"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "deal.deleted";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["Opportunity"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "user.created";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["User"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "user.activated";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["User"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "user.updated";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["User"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "user.deactivated";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["User"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "badge.earned";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["EarnedBadge"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "challenge.completed";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["CompletedChallenge"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        } | {
                            /** @description Id of the event, the same for all that are told of it. */
                            id: string;
                            /** @enum {string} */
                            type: "ranking.changed";
                            /**
                             * Format: date-time
                             * @description UTC, with milliseconds.
                             */
                            created_at: string;
                            data: components["schemas"]["RankingChange"];
                            /** @description Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted. */
                            changed: string[];
                            /** @description Whether it was kept from webhooks, points and automations. */
                            silent: boolean;
                            /** @description Goes on after this event. */
                            cursor: string;
                            /** @description `X-Origin` of the request that caused it, if it had one. */
                            origin?: string;
                        })[];
                        meta: components["schemas"]["FeedMeta"];
                    };
                };
            };
            400: components["responses"]["Failure400"];
            401: components["responses"]["Failure401"];
            403: components["responses"]["Failure403"];
            /** @description Events after this cursor are no longer kept. */
            410: {
                headers: {
                    /** @description The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it. */
                    "X-Request-Id": string;
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit": number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining": number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["Failure429"];
            500: components["responses"]["Failure500"];
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
                    /** @description Requests a minute of the tenant's plan. */
                    "X-RateLimit-Limit"?: number;
                    /** @description Requests left in this minute. */
                    "X-RateLimit-Remaining"?: number;
                    /** @description Unix time when the minute ends. */
                    "X-RateLimit-Reset"?: number;
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
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            405: components["responses"]["Failure405"];
        };
    };
    onLeadCreated: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "lead.created";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000050",
                 *       "type": "lead.created",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                 *         "name": "Ana Souza",
                 *         "email": "bia.lima@example.com",
                 *         "phone": "+55 11 98765-4321",
                 *         "company": "Ação Ltda",
                 *         "position": null,
                 *         "source": "site",
                 *         "stage": "new",
                 *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *         "custom_fields": {
                 *           "crm_id": "42"
                 *         },
                 *         "tags": [
                 *           "hot"
                 *         ],
                 *         "external_id": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "score": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "lead.created";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Lead"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onLeadUpdated: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "lead.updated";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000116",
                 *       "type": "lead.updated",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                 *         "name": "Ana Souza",
                 *         "email": "bia.lima@example.com",
                 *         "phone": "+55 11 98765-4321",
                 *         "company": "Ação Ltda",
                 *         "position": null,
                 *         "source": "site",
                 *         "stage": "new",
                 *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *         "custom_fields": {
                 *           "crm_id": "42"
                 *         },
                 *         "tags": [
                 *           "hot"
                 *         ],
                 *         "external_id": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "score": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "lead.updated";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Lead"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onLeadStageChanged: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "lead.stage_changed";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000115",
                 *       "type": "lead.stage_changed",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                 *         "name": "Ana Souza",
                 *         "email": "bia.lima@example.com",
                 *         "phone": "+55 11 98765-4321",
                 *         "company": "Ação Ltda",
                 *         "position": null,
                 *         "source": "site",
                 *         "stage": "qualified",
                 *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *         "custom_fields": {
                 *           "crm_id": "42"
                 *         },
                 *         "tags": [
                 *           "hot"
                 *         ],
                 *         "external_id": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "score": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "lead.stage_changed";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Lead"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onLeadConverted: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "lead.converted";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000112",
                 *       "type": "lead.converted",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                 *         "name": "Ana Souza",
                 *         "email": "bia.lima@example.com",
                 *         "phone": "+55 11 98765-4321",
                 *         "company": "Ação Ltda",
                 *         "position": null,
                 *         "source": "site",
                 *         "stage": "converted",
                 *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *         "custom_fields": {
                 *           "crm_id": "42"
                 *         },
                 *         "tags": [
                 *           "hot"
                 *         ],
                 *         "external_id": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "score": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "lead.converted";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Lead"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onLeadMerged: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "lead.merged";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000114",
                 *       "type": "lead.merged",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                 *         "name": "Ana Souza",
                 *         "email": "bia.lima@example.com",
                 *         "phone": "+55 11 98765-4321",
                 *         "company": "Ação Ltda",
                 *         "position": null,
                 *         "source": "site",
                 *         "stage": "qualified",
                 *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *         "custom_fields": {
                 *           "crm_id": "42"
                 *         },
                 *         "tags": [
                 *           "hot"
                 *         ],
                 *         "external_id": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "merged_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000001",
                 *         "score": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "lead.merged";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["MergedLead"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onLeadDeleted: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "lead.deleted";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000113",
                 *       "type": "lead.deleted",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                 *         "name": "Ana Souza",
                 *         "email": "bia.lima@example.com",
                 *         "phone": "+55 11 98765-4321",
                 *         "company": "Ação Ltda",
                 *         "position": null,
                 *         "source": "site",
                 *         "stage": "converted",
                 *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "team_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *         "custom_fields": {
                 *           "crm_id": "42"
                 *         },
                 *         "tags": [
                 *           "hot"
                 *         ],
                 *         "external_id": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "score": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "lead.deleted";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Lead"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onDealCreated: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "deal.created";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000108",
                 *       "type": "deal.created",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                 *         "name": "Yearly plan",
                 *         "value": 1250.5,
                 *         "stage": "Prospecting",
                 *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                 *         "probability": 10,
                 *         "contact": {
                 *           "name": "Ana",
                 *           "email": "ana@example.com",
                 *           "company": null
                 *         },
                 *         "status": "open",
                 *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "expected_close_date": "2026-12-31",
                 *         "priority": "high",
                 *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                 *         "custom_fields": {},
                 *         "tags": [
                 *           "new"
                 *         ],
                 *         "external_id": null,
                 *         "loss_reason": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "currency": "BRL",
                 *         "products": []
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "deal.created";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Opportunity"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onDealUpdated: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "deal.updated";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000111",
                 *       "type": "deal.updated",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                 *         "name": "Yearly plan",
                 *         "value": 7,
                 *         "stage": "Prospecting",
                 *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                 *         "probability": 10,
                 *         "contact": {
                 *           "name": "Ana",
                 *           "email": "ana@example.com",
                 *           "company": null
                 *         },
                 *         "status": "open",
                 *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "expected_close_date": "2026-12-31",
                 *         "priority": "high",
                 *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                 *         "custom_fields": {},
                 *         "tags": [
                 *           "new"
                 *         ],
                 *         "external_id": null,
                 *         "loss_reason": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "currency": "BRL",
                 *         "products": []
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "deal.updated";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Opportunity"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onDealStageChanged: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "deal.stage_changed";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
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
                    type: "deal.stage_changed";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["MovedDeal"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onDealWon: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "deal.won";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
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
                    type: "deal.won";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["WonDeal"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onDealLost: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "deal.lost";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000110",
                 *       "type": "deal.lost",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                 *         "name": "Yearly plan",
                 *         "value": 7,
                 *         "stage": "Prospecting",
                 *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                 *         "probability": 10,
                 *         "contact": {
                 *           "name": "Ana",
                 *           "email": "ana@example.com",
                 *           "company": null
                 *         },
                 *         "status": "lost",
                 *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "expected_close_date": "2026-12-31",
                 *         "priority": "high",
                 *         "lead_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000004",
                 *         "custom_fields": {},
                 *         "tags": [
                 *           "new"
                 *         ],
                 *         "external_id": null,
                 *         "loss_reason": "Price",
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "currency": "BRL",
                 *         "products": []
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "deal.lost";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Opportunity"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onDealDeleted: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "deal.deleted";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000109",
                 *       "type": "deal.deleted",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000007",
                 *         "name": "Yearly plan",
                 *         "value": 7,
                 *         "stage": "Prospecting",
                 *         "stage_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000010",
                 *         "probability": 10,
                 *         "contact": {
                 *           "name": "Ana",
                 *           "email": "ana@example.com",
                 *           "company": null
                 *         },
                 *         "status": "lost",
                 *         "assigned_to": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "expected_close_date": "2026-12-31",
                 *         "priority": "high",
                 *         "lead_id": null,
                 *         "custom_fields": {},
                 *         "tags": [
                 *           "new"
                 *         ],
                 *         "external_id": null,
                 *         "loss_reason": "Price",
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "currency": "BRL",
                 *         "products": []
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "deal.deleted";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["Opportunity"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onUserCreated: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "user.created";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000117",
                 *       "type": "user.created",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "name": "Bia Lima",
                 *         "email": "bia.lima@example.com",
                 *         "phone": null,
                 *         "avatar_url": null,
                 *         "role": "seller",
                 *         "team": null,
                 *         "status": "pending",
                 *         "ranking_tier": null,
                 *         "total_points": 0,
                 *         "external_id": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "last_active_at": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "user.created";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["User"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onUserActivated: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "user.activated";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
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
                    type: "user.activated";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["User"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onUserUpdated: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "user.updated";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000119",
                 *       "type": "user.updated",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "name": "Bia Lima",
                 *         "email": "bia.lima@example.com",
                 *         "phone": null,
                 *         "avatar_url": null,
                 *         "role": "seller",
                 *         "team": {
                 *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000003",
                 *           "name": "Sales"
                 *         },
                 *         "status": "pending",
                 *         "ranking_tier": null,
                 *         "total_points": 0,
                 *         "external_id": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "last_active_at": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "user.updated";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["User"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onUserDeactivated: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "user.deactivated";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000118",
                 *       "type": "user.deactivated",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "name": "Bia",
                 *         "email": "bia.lima@example.com",
                 *         "phone": null,
                 *         "avatar_url": null,
                 *         "role": "manager",
                 *         "team": null,
                 *         "status": "inactive",
                 *         "ranking_tier": null,
                 *         "total_points": 15,
                 *         "external_id": null,
                 *         "created_at": "2026-03-02T14:05:09.123456Z",
                 *         "updated_at": "2026-03-02T14:05:09.123456Z",
                 *         "last_active_at": null
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "user.deactivated";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["User"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onBadgeEarned: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "badge.earned";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000107",
                 *       "type": "badge.earned",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "badge": {
                 *           "id": "5a1c0e7e-52f5-4c5c-9f6e-000000000036",
                 *           "name": "First points",
                 *           "metric": "points",
                 *           "threshold": 1
                 *         },
                 *         "email": "bia.lima@example.com",
                 *         "user_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000002",
                 *         "earned_at": "2026-03-02T14:05:09.123456Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description Id of the event, the same for all that are told of it. */
                    id: string;
                    /** @enum {string} */
                    type: "badge.earned";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["EarnedBadge"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onChallengeCompleted: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "challenge.completed";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
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
                    type: "challenge.completed";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["CompletedChallenge"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
    onRankingChanged: {
        parameters: {
            query?: never;
            header: {
                "X-Service-Event": "ranking.changed";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
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
                    type: "ranking.changed";
                    /**
                     * Format: date-time
                     * @description UTC, with milliseconds.
                     */
                    created_at: string;
                    data: components["schemas"]["RankingChange"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
                "X-Service-Event": "webhook.test";
                /** @description Id of the delivery, the same on every attempt. */
                "X-Service-Delivery": string;
                /** @description `sha256=` and the HMAC-SHA256 of the body in hex; only of a webhook with a secret. */
                "X-Service-Signature"?: string;
                /** @description Id of the delivery, the same on every attempt. */
                "webhook-id": string;
                /** @description Unix time of the attempt. */
                "webhook-timestamp": string;
                /** @description `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64. */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_01kdvc2v0me5rtj6wm00000047",
                 *       "type": "webhook.test",
                 *       "created_at": "2026-03-02T14:05:09.123Z",
                 *       "data": {
                 *         "webhook_id": "5a1c0e7e-52f5-4c5c-9f6e-000000000042"
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
                    data: components["schemas"]["WebhookTest"];
                    /** @description `X-Origin` of the request that caused it, if it had one. */
                    origin?: string;
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
