-- The law limits fines to 2 % and interest to 1 % a month for consumers. Allow a tenant more for customers with a CNPJ,
-- up to 20 % each; null: back to 2 and 1.
select admin.set_due_limits('acme', 10, 2);

-- Return to the limits for consumers
select admin.set_due_limits('acme', null, null);
