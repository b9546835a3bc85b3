-- Moves of tenants from and to this project. npx placar tenant move does all steps: docs/operations/moving-a-tenant.md
-- The steps are admin.move_out, admin.move_in, admin.freeze_tenant, admin.freeze_settled, admin.renew_freeze, admin.thaw_tenant,
-- admin.verify_move, admin.switch_tenant, admin.open_tenant, admin.record_move_progress, admin.finish_move and admin.roll_back_move.
select move_id, slug, direction, state, moved_to, rows_copied, rows_total, frozen_until, last_error from admin.tenant_moves order by created_at desc;

-- Stop telling callers the new address of tenants that moved more than 400 days ago
select admin.forget_move(move_id) from admin.tenant_moves
where direction = 'out' and state = 'finished' and finished_at < now() - interval '400 days';
