-- Moves of tenants from and to this project. npx placar tenant move does all steps: docs/operations/moving-a-tenant.md
select move_id, slug, direction, state, moved_to, rows_copied, rows_total, frozen_until, last_error from admin.tenant_moves order by created_at desc;

-- After 400 days: stop telling callers of a finished move the new address
-- select admin.forget_move('<move_id>');

-- The steps, for a look at what the command does. Do not call them yourself while it runs:
-- source:      admin.move_out, admin.freeze_tenant, admin.freeze_settled, admin.renew_freeze, admin.thaw_tenant, admin.verify_move,
--              admin.switch_tenant, admin.finish_move, admin.roll_back_move
-- destination: admin.move_in, admin.verify_move, admin.open_tenant, admin.finish_move, admin.roll_back_move
-- both:        admin.record_move_progress
