-- Auth accounts that Placar may ban: whether Placar created them (and may delete them), and who banned them. Placar
-- never changes other accounts, nor bans set by operators.
select email, tie, made, tied_at, tenants, banned_by, banned_until
from admin.auth_accounts
order by tied_at desc
limit 200;
