-- Comments on the columns of the views for admins, so that Studio explains each. The last file, since it looks at all views.
--
-- A column that a view takes from a table has the table's comment; what a view adds, and what is named alike everywhere, is
-- worded here. Words for one view's column are under "view.column".

do $$
declare
  words constant jsonb := '{
    "tenant_id":            "The tenant that it belongs to; admin.tenants has its name.",
    "id":                   "Its id.",
    "name":                 "Its name.",
    "email":                "E-mail of the person, in lower case.",
    "phone":                "Phone number.",
    "created_at":           "When it was made.",
    "created":              "When it was made.",
    "updated_at":           "When it last changed.",
    "label":                "What it is for, as whoever made it says.",
    "scopes":               "What it may do.",
    "events":               "Types of events; null means all.",
    "event_id":             "The event; null where there is none.",
    "type":                 "Which kind it is.",
    "status":               "Its state.",
    "error":                "What went wrong; null when nothing did.",
    "last_error":           "What went wrong the last time; null when nothing did.",
    "expires_at":           "Until when it is good; null means for ever.",
    "revoked_at":           "When it was revoked; null while it is good.",
    "description":          "What it is for.",
    "deactivated_at":       "When it was deactivated; null while it works.",
    "user_id":              "The user; admin.users has who that is.",
    "mission_id":           "The mission.",
    "mission_name":         "Name of the mission.",
    "stage_name":           "Name of the stage; null means any.",
    "points":               "Points.",
    "total_points":         "Points of the person, over all time.",
    "position":             "Place in the order.",
    "code":                 "Activity code, 001 to 999.",
    "metadata":             "Whatever else the caller sent.",
    "currency":             "Code of the currency, such as BRL.",
    "amount":               "In minor units of the currency.",
    "fee":                  "The provider''s fee, in minor units.",
    "net":                  "In minor units, less fees.",
    "cost_center":          "The cost center; null when there is none.",
    "provider":             "The payment provider.",
    "contractor_reference": "The caller''s own name for it.",
    "our_number":           "The number that people see.",
    "invoice_id":           "The invoice; null when it is of none.",
    "payout_id":            "The payout; null when it is of none.",
    "failure_reason":       "Why it failed; null when it did not.",
    "cancel_reason":        "Why it was canceled; null when it was not.",
    "role":                 "What the person may do, or does.",
    "attempts":             "How often it was tried.",
    "target":               "What is to be reached.",
    "account_id":           "The account at a provider; admin.provider_accounts has it.",
    "tenant":               "Short name of the tenant.",

    "provider_accounts.balance":       "As the provider last gave it, in minor units; null before it was read.",
    "provider_accounts.currency":      "Of the balance.",
    "provider_accounts.balance_read_at": "When the balance was read.",
    "provider_balances.balance":       "As the provider last gave it, in minor units.",
    "provider_balances.balance_read_at": "When it was read.",
    "provider_balances.in_ledger":     "What came and went through Placar since the account was connected, in minor units.",
    "payouts_to_approve.payout_id":    "The payout; admin.approve_payout and admin.reject_payout take it.",
    "payouts_to_approve.beneficiary_name": "Who gets it.",
    "payouts_to_approve.purpose":      "What it is for: prize, commission, vendor_payment or other.",
    "provider_routes.kind":            "charge, payout or tax_document.",
    "provider_differences.ours":       "What is here; null where nothing is.",
    "provider_differences.theirs":     "What the provider has; null where it has nothing.",
    "provider_differences.found_at":   "When a comparison first found it.",
    "provider_events.received_at":     "When it came.",
    "unfinished_orders.kind":          "invoice or payout.",
    "unfinished_orders.outcome":       "not_taken: the provider refused, or was never asked; unknown: it is looked up there.",
    "payouts_to_fund.payout_id":       "The payout.",
    "payouts_to_fund.source_amount":   "What has to be paid to the provider, in minor units.",
    "payouts_to_fund.source_currency": "In which currency.",
    "payouts_to_fund.reference":       "What the bank transfer to the provider must name.",
    "payouts_to_fund.fund_by":         "Until when; null where the provider did not say.",

    "tenants.name":                    "Name of the customer.",
    "tenants.plan":                    "Its plan; admin.set_plan changes it.",
    "tenants.requests_per_minute":     "Records interface: requests a minute that the plan allows.",
    "tenants.max_users":               "Invited and active users that the plan allows; null means no limit.",
    "users.name":                      "Name of the person.",
    "users.team":                      "Name of the team that they are a member of.",
    "users.total_points":              "Points of the user, with those of the collaborator of that e-mail.",
    "collaborators.name":              "Name of the person, as the CRM sends it.",
    "collaborators.role":              "Role, as the CRM names it.",
    "activities.email":                "Whose it is: e-mail of the collaborator.",
    "activities.name":                 "Whose it is: name of the collaborator.",
    "activities.external_id":          "Its id in the CRM; sent again, it is a duplicate.",
    "activities.created_at":           "When it was received.",
    "missions.codes":                  "Activity codes that count for it.",
    "unmapped_activity_codes.activities":       "How many activities were sent with it.",
    "unmapped_activity_codes.last_received_at": "When the last one was received.",
    "mission_progress.completions":    "Times that it was completed, less those taken back.",
    "mission_progress.points":         "Points that it gave, less those taken back.",
    "mission_progress.last_change_at": "When it was last completed or taken back.",
    "mission_progress.name":           "Name of the user, or else of the collaborator.",
    "mission_progress.email":          "E-mail of the player.",
    "point_entries.points":            "Points given; negative ones were taken.",
    "point_entries.external_id":       "The activity of activity sync that gave them; null for others.",
    "point_entries.note":              "Why an admin adjusted the points, or made the activity void.",
    "standings.collaborator_id":       "The collaborator with this e-mail, if any.",
    "standings.user_id":               "The user with this e-mail, if any.",
    "standings.name":                  "Name of the user, or else of the collaborator.",
    "standings.position":              "Place by points; who has as many has the same.",
    "point_differences.points_of_ledger":      "Sum of the points of their entries.",
    "point_differences.completions_of_ledger": "Sum of the completions of their entries.",
    "tiers.min_points":                "From how many points on.",
    "stages.open_deals":               "Open deals that are in it.",
    "point_rules.created_at":          "When it was set first.",
    "badges.threshold":                "From which number on it is earned.",
    "badges.earned_by":                "How many have it.",
    "earned_badges.badge":             "Name of the badge.",
    "earned_badges.earned_at":         "When it was earned.",
    "challenges.starts_at":            "What happens from this moment on counts.",
    "challenges.reward_points":        "Points for completing it.",
    "challenges.completed_by":         "How many completed it.",
    "challenge_progress.challenge":    "Name of the challenge.",
    "challenge_progress.value":        "What the person has of the metric so far.",
    "challenge_progress.completed_at": "When it was completed; null before.",
    "automations.name":                "What admins call it.",
    "automation_runs.automation":      "Name of the automation.",
    "automation_runs.event":           "Type of the event that it ran for.",
    "automation_runs.created_at":      "When it ran.",
    "api_keys.id":                     "What it is rotated and revoked by.",
    "api_keys.expires_at":             "From when on it is refused; null means never.",
    "jobs.status":                     "waiting, running (a worker holds it), finished, or failed (given up).",
    "jobs.finished_at":                "When it was done; null before.",
    "webhook_deliveries.type":         "Type of the event.",
    "webhook_deliveries.endpoint_id":  "The webhook; admin.webhook_endpoints has its address.",
    "webhook_attempts.delivery_id":    "The delivery that it was an attempt of.",
    "webhook_attempts.response_ms":    "Milliseconds until the answer, or until it was given up.",
    "request_log.at":                  "When it was received.",
    "request_log.request_id":          "Its id, as the answer said it in X-Request-Id.",
    "request_log.method":              "HTTP method.",
    "request_log.status":              "HTTP status of the answer.",
    "request_log.ip":                  "Address of the caller; null when nobody knows it.",
    "invitations.status":              "pending, accepted, revoked, or expired.",
    "invitations.accepted_at":         "When it was accepted; null before.",
    "balances.net":                    "The balance: sum of what came in less what went out, in minor units.",
    "balances.entries":                "How many entries it is the sum of.",
    "balances.last_entry_at":          "When the last one was added.",
    "invoices.payment_method_type":    "How it is paid.",
    "invoices.customer_name":          "Who is to pay.",
    "invoices.expires_at":             "Until when it can be paid; null means for ever.",
    "payouts.beneficiary_name":        "Who gets the money.",
    "payouts.purpose":                 "What it is paid for.",
    "ledger.fee":                      "The provider''s fee of the entry, in minor units.",
    "tax_documents.document_number":   "The number that the tax authority knows it by; null until it is issued.",
    "tax_documents.issued_at":         "When it was issued; null before."
  }';
  item    record;
  comment text;
begin
  for item in
    select c.oid, c.relname as view, a.attname as name, a.attnum as number
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'admin'::regnamespace and c.relkind = 'v'
      and pg_catalog.col_description(c.oid, a.attnum) is null
  loop
    comment := coalesce(
      words ->> (item.view || '.' || item.name),
      -- The table that the view is named after, before others that it reads.
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
      words ->> item.name
    );
    if comment is not null then
      execute format('comment on column admin.%I.%I is %L', item.view, item.name, comment);
    end if;
  end loop;
end
$$;
