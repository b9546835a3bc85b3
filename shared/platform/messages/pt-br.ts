/**
 * Brazilian Portuguese translations of emails, by English text. `{name}` is replaced by a value. Those of pages are in
 * `clients/console/messages/`. The API's error messages exist only in English, because programs read them.
 */
export const ptBr = {
  'You have been invited to {tenant}': 'Você recebeu um convite para {tenant}',
  '{tenant} has invited you to its workspace. Open this link to accept the invitation:\n\n{link}\n':
    '{tenant} convidou você para o seu workspace. Abra este link para aceitar o convite:\n\n{link}\n',
  'Webhook suspended': 'Webhook suspenso',
  'A webhook of {tenant} was suspended. New events are queued.\n\nURL: {url}\nReason: {reason}\nWebhook: {webhook}\n\nWe retry one delivery, with increasing delays. When it succeeds, the others follow. After {failures} failures in a row the webhook is deactivated.\n':
    'Um webhook de {tenant} foi suspenso. Novos eventos ficam na fila.\n\nURL: {url}\nMotivo: {reason}\nWebhook: {webhook}\n\nTentamos de novo uma entrega, com intervalos cada vez maiores. Quando ela der certo, as outras seguem. Depois de {failures} falhas seguidas, o webhook é desativado.\n',
  'Webhook deactivated': 'Webhook desativado',
  'A webhook of {tenant} was deactivated and receives no more events.\n\nURL: {url}\nReason: {reason}\nWebhook: {webhook}\n\nOnce the receiver works again, ask an administrator to reactivate the webhook and replay the missed events.\n':
    'Um webhook de {tenant} foi desativado e não recebe mais eventos.\n\nURL: {url}\nMotivo: {reason}\nWebhook: {webhook}\n\nQuando o receptor voltar a funcionar, peça a um administrador que reative o webhook e reenvie os eventos perdidos.\n',
  'Your {crm} account stopped working with Placar': 'Sua conta {crm} parou de funcionar com o Placar',
  'The {crm} account of {tenant} is not working: {reason}\n\nUntil it works again, changes in {crm} do not arrive in Placar. They are read afterwards. We check it every minute.\n':
    'A conta {crm} de {tenant} não está funcionando: {reason}\n\nAté que ela volte a funcionar, as mudanças em {crm} não chegam ao Placar. Elas são lidas depois. Verificamos a cada minuto.\n',
  'Your {provider} account stopped working with Placar':
    'Sua conta {provider} parou de funcionar com o Placar',
  'The {provider} account of {tenant} is not working: {reason}\n\nNew orders for this account fail until it works again. We check it every minute.\n':
    'A conta {provider} de {tenant} não está funcionando: {reason}\n\nNovas operações nesta conta falham até que ela volte a funcionar. Verificamos a cada minuto.\n',
  'Placar refused a second transfer for a payout':
    'O Placar recusou uma segunda transferência para um repasse',
  '{provider} asked Placar to approve transfer {transfer} for payout {payout} of {tenant}, which already has transfer {known}. Placar refused it.\n\nFind out at {provider} who created it. If it was nobody at your company, replace the API key.\n':
    'O provedor {provider} pediu ao Placar que aprovasse a transferência {transfer} para o repasse {payout} de {tenant}, que já tem a transferência {known}. O Placar recusou.\n\nVerifique na conta {provider} quem a criou e, se não foi ninguém da sua empresa, gere uma nova chave de API.\n',
} as const satisfies Record<string, string>;
