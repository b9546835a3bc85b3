-- Accounts of Auth that Placar may ban, which of them it made and may delete, and whose ban it is. Others, and bans of operators, are
-- never touched.
select email, tie, made, tied_at, tenants, banned_by, banned_until
from admin.auth_accounts
order by tied_at desc
limit 200;
