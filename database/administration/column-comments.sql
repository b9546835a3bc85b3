-- Comments on the columns of admin views, for Studio. This file comes last because it inspects all views.
--
-- A view column taken from a table uses the table's comment. Columns that a view adds, and those with the same meaning
-- everywhere, are described here. Keys of the form "view.column" apply to one view.

do $$
declare
  descriptions constant jsonb := '{
    "tenant_id":            "The tenant; admin.tenants has its name.",
    "id":                   "Id of the row.",
    "name":                 "Name.",
    "email":                "Email address in lower case.",
    "phone":                "Phone number.",
    "created_at":           "When it was created.",
    "created":              "When it was created.",
    "updated_at":           "When it last changed.",
    "label":                "Purpose, as given at creation.",
    "scopes":               "Permitted scopes.",
    "events":               "Event types; null means all.",
    "event_id":             "The event; null if none.",
    "type":                 "Type.",
    "status":               "Current status.",
    "error":                "Why it failed; null if it succeeded.",
    "last_error":           "Error of the last attempt; null if it succeeded.",
    "expires_at":           "Expiry; null means never.",
    "revoked_at":           "When it was revoked; null if not revoked.",
    "description":          "Purpose.",
    "deactivated_at":       "When it was deactivated; null if active.",
    "user_id":              "The user; see admin.users.",
    "mission_id":           "The mission.",
    "mission_name":         "Name of the mission.",
    "stage_name":           "Name of the stage; null means any stage.",
    "points":               "Points.",
    "total_points":         "All-time points of the person.",
    "position":             "Sort order.",
    "code":                 "Activity code, 001 to 999.",
    "metadata":             "Any additional data that the caller sent.",
    "currency":             "Currency code, such as BRL.",
    "amount":               "Amount in minor units of the currency.",
    "fee":                  "The provider''s fee, in minor units.",
    "net":                  "Amount minus fees, in minor units.",
    "cost_center":          "Cost center; null if none.",
    "provider":             "The payment provider.",
    "contractor_reference": "The caller''s own reference.",
    "our_number":           "Human-readable number.",
    "invoice_id":           "The invoice; null if none.",
    "payout_id":            "The payout; null if none.",
    "failure_reason":       "Why it failed; null unless it failed.",
    "cancel_reason":        "Why it was canceled; null unless it was canceled.",
    "role":                 "Role or permissions of the person.",
    "attempts":             "Number of attempts.",
    "target":               "Value to reach.",
    "account_id":           "The provider account; see admin.provider_accounts.",
    "tenant":               "Short name (slug) of the tenant.",

    "crm_links.account_id": "The account at a CRM; see admin.crm_accounts.",
    "crm_stages.account_id": "The account at a CRM; see admin.crm_accounts.",
    "crm_activity_types.account_id": "The account at a CRM; see admin.crm_accounts.",
    "crm_runs.account_id": "The account at a CRM; see admin.crm_accounts.",
    "crm_differences.account_id": "The account at a CRM; see admin.crm_accounts.",
    "crm_links.kind":       "lead, deal, activity, user or stage.",
    "crm_stages.mapped_to": "Stage here that admin.map_crm_stage set; null if it is found by name.",
    "crm_stages.stage_id":  "Stage here that deals of this stage get; null if there is none.",

    "provider_accounts.balance":       "Balance last reported by the provider, in minor units; null if not read yet.",
    "provider_accounts.currency":      "Currency of the balance.",
    "provider_accounts.balance_read_at": "When the balance was read.",
    "provider_balances.balance":       "Balance last reported by the provider, in minor units.",
    "provider_balances.balance_read_at": "When the balance was read.",
    "provider_balances.in_ledger":     "Sum of ledger entries since the account was connected, in minor units.",
    "payouts_to_approve.payout_id":    "The payout; pass it to admin.approve_payout or admin.reject_payout.",
    "payouts_to_approve.beneficiary_name": "Name of the recipient.",
    "payouts_to_approve.purpose":      "Purpose: prize, commission, vendor_payment or other.",
    "provider_routes.kind":            "charge, payout or tax_document.",
    "provider_differences.ours":       "State in Placar; null if missing.",
    "provider_differences.theirs":     "State at the provider; null if missing.",
    "provider_differences.found_at":   "When reconciliation first found the difference.",
    "provider_events.received_at":     "When the event arrived.",
    "unfinished_orders.kind":          "invoice or payout.",
    "unfinished_orders.outcome":       "not_taken: the provider rejected it or was never called; unknown: Placar is looking it up.",
    "payouts_to_fund.payout_id":       "The payout.",
    "payouts_to_fund.source_amount":   "Amount to pay to the provider, in minor units.",
    "payouts_to_fund.source_currency": "Currency of source_amount.",
    "payouts_to_fund.reference":       "Reference required in the bank transfer to the provider.",
    "payouts_to_fund.fund_by":         "Deadline for the transfer; null if the provider sets none.",

    "tenants.name":                    "Name of the customer.",
    "tenants.plan":                    "The tenant''s plan; change it with admin.set_plan.",
    "tenants.requests_per_minute":     "Records interface: requests per minute that the plan allows.",
    "tenants.max_users":               "Invited and active users that the plan allows; null means no limit.",
    "users.name":                      "Name of the person.",
    "users.team":                      "Name of the user''s team.",
    "users.total_points":              "Points of the user, shared with the collaborator with the same email address.",
    "collaborators.name":              "Name of the person, as the CRM sends it.",
    "collaborators.role":              "Role, as the CRM names it.",
    "activities.email":                "Email address of the collaborator.",
    "activities.name":                 "Name of the collaborator.",
    "activities.external_id":          "Id in the CRM; sending it again is a duplicate.",
    "activities.created_at":           "When it was received.",
    "missions.codes":                  "Activity codes mapped to the mission.",
    "unmapped_activity_codes.activities":       "Number of activities sent with the code.",
    "unmapped_activity_codes.last_received_at": "When the last activity with the code was received.",
    "mission_progress.completions":    "Completions minus those reversed.",
    "mission_progress.points":         "Points earned minus those reversed.",
    "mission_progress.last_change_at": "When the mission was last completed or reversed.",
    "mission_progress.name":           "Name of the user, or of the collaborator if there is no user.",
    "mission_progress.email":          "Email address of the player.",
    "point_entries.points":            "Points awarded; negative if deducted.",
    "point_entries.external_id":       "The activity of activity sync that earned the points; null for other entries.",
    "point_entries.note":              "Why an admin adjusted the points or voided the activity.",
    "standings.collaborator_id":       "The collaborator with this email address, if any.",
    "standings.user_id":               "The user with this email address, if any.",
    "standings.name":                  "Name of the user, or of the collaborator if there is no user.",
    "standings.position":              "Position by points; equal points share a position.",
    "point_differences.points_of_ledger":      "Sum of the points of the player''s entries.",
    "point_differences.completions_of_ledger": "Sum of the completions of the player''s entries.",
    "tiers.min_points":                "Points required for the tier.",
    "stages.open_deals":               "Number of open deals in the stage.",
    "point_rules.created_at":          "When the rule was first set.",
    "badges.threshold":                "Value at which the badge is earned.",
    "badges.earned_by":                "Number of players who earned the badge.",
    "earned_badges.badge":             "Name of the badge.",
    "earned_badges.earned_at":         "When the badge was earned.",
    "challenges.starts_at":            "Start of the challenge (inclusive).",
    "challenges.reward_points":        "Points for completing the challenge.",
    "challenges.completed_by":         "Number of players who completed the challenge.",
    "challenge_progress.challenge":    "Name of the challenge.",
    "challenge_progress.value":        "Current value of the metric.",
    "challenge_progress.completed_at": "When the challenge was completed; null if not completed.",
    "automations.name":                "Name given by the admin.",
    "automation_runs.automation":      "Name of the automation.",
    "automation_runs.event":           "Type of the event that triggered the run.",
    "automation_runs.created_at":      "When the automation ran.",
    "api_keys.id":                     "Id to rotate or revoke the key with.",
    "api_keys.expires_at":             "When the key expires; null means never.",
    "jobs.status":                     "waiting, running (claimed by a worker), finished or failed (permanently).",
    "jobs.finished_at":                "When the job finished; null if not finished.",
    "webhook_deliveries.type":         "Type of the event.",
    "webhook_deliveries.endpoint_id":  "The webhook; see admin.webhook_endpoints.",
    "webhook_attempts.delivery_id":    "The delivery.",
    "webhook_attempts.response_ms":    "Milliseconds until the response or timeout.",
    "request_log.at":                  "When the request was received.",
    "request_log.request_id":          "Request id, as returned in X-Request-Id.",
    "request_log.method":              "HTTP method.",
    "request_log.status":              "HTTP status of the response.",
    "request_log.ip":                  "IP address of the caller; null if unknown.",
    "invitations.status":              "pending, accepted, revoked, or expired.",
    "invitations.accepted_at":         "When it was accepted; null if not accepted.",
    "balances.net":                    "The balance in minor units.",
    "balances.entries":                "Number of ledger entries.",
    "balances.last_entry_at":          "When the last entry was added.",
    "invoices.payment_method_type":    "Payment method.",
    "invoices.customer_name":          "Name of the customer.",
    "invoices.expires_at":             "Payment deadline; null means none.",
    "payouts.beneficiary_name":        "Name of the recipient.",
    "payouts.purpose":                 "Purpose of the payout.",
    "ledger.fee":                      "The provider''s fee for the entry, in minor units.",
    "tax_documents.document_number":   "Number assigned by the tax authority; null until issued.",
    "tax_documents.issued_at":         "When it was issued; null if not issued."
  }';
  item         record;
  comment      text;
begin
  for item in
    select c.oid, c.relname as view, a.attname as name, a.attnum as number
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'admin'::regnamespace and c.relkind = 'v'
      and pg_catalog.col_description(c.oid, a.attnum) is null
  loop
    comment := coalesce(
      descriptions ->> (item.view || '.' || item.name),
      -- Prefer the table that the view is named after.
      (
        select pg_catalog.col_description(t.oid, b.attnum)
        from pg_catalog.pg_rewrite r
        join pg_catalog.pg_depend d    on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
                                      and d.refclassid = 'pg_catalog.pg_class'::regclass
        join pg_catalog.pg_class t     on t.oid = d.refobjid and t.relkind in ('r', 'p')
        join pg_catalog.pg_attribute b on b.attrelid = t.oid and b.attnum = d.refobjsubid and b.attname = item.name
        where r.ev_class = item.oid and pg_catalog.col_description(t.oid, b.attnum) is not null
        order by t.relname = item.view desc, t.relname
        limit 1
      ),
      descriptions ->> item.name
    );
    if comment is not null then
      execute format('comment on column admin.%I.%I is %L', item.view, item.name, comment);
    end if;
  end loop;
end
$$;
