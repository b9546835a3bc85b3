-- Require approval for payouts of more than R$ 1000.00; null removes the requirement
select admin.require_payout_approval('acme', 100000, 'BRL');

-- Payouts that wait for approval
select * from admin.payouts_to_approve;

-- Approve one
select admin.approve_payout(payout_id) from admin.payouts_to_approve where our_number = 'PO-2026-000001';

-- Reject another
select admin.reject_payout(payout_id, 'Not agreed') from admin.payouts_to_approve where our_number = 'PO-2026-000002';

-- Payouts that Wise sends once they are funded: amount, payment reference and deadline
select * from admin.payouts_to_fund;
