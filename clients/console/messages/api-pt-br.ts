/** Brazilian Portuguese translations of the API's English sentences. `{x}` stands for a value. Other sentences are shown in English. */
export const apiPtBr: Readonly<Record<string, string>> = {
  // Why a person has points
  '{what}: activity {code} on {day} no longer counts ({points}).':
    '{what}: a atividade {code} de {day} não conta mais ({points}).',
  '{what}: activity {code} on {day} was voided: {reason} ({points}).':
    '{what}: a atividade {code} de {day} foi anulada: {reason} ({points}).',
  '{what}: activity {code} on {day} was voided ({points}).':
    '{what}: a atividade {code} de {day} foi anulada ({points}).',
  '{what}: activity {code} on {day} ({points}).': '{what}: atividade {code} em {day} ({points}).',
  'Deal won: {name} on {day} ({points}).': 'Negócio ganho: {name} em {day} ({points}).',
  'Deal won on {day} ({points}).': 'Negócio ganho em {day} ({points}).',
  'Deal moved to {stage}: {name} on {day} ({points}).':
    'Negócio movido para {stage}: {name} em {day} ({points}).',
  'Deal moved to {stage} on {day} ({points}).': 'Negócio movido para {stage} em {day} ({points}).',
  'Lead qualified: {name} on {day} ({points}).': 'Lead qualificado: {name} em {day} ({points}).',
  'Lead qualified on {day} ({points}).': 'Lead qualificado em {day} ({points}).',
  'Call logged: {name} on {day} ({points}).': 'Ligação registrada: {name} em {day} ({points}).',
  'Email logged: {name} on {day} ({points}).': 'E-mail registrado: {name} em {day} ({points}).',
  'Meeting logged: {name} on {day} ({points}).': 'Reunião registrada: {name} em {day} ({points}).',
  'Note logged: {name} on {day} ({points}).': 'Anotação registrada: {name} em {day} ({points}).',
  'Task logged: {name} on {day} ({points}).': 'Tarefa registrada: {name} em {day} ({points}).',
  'Challenge completed: {name} on {day} ({points}).': 'Desafio concluído: {name} em {day} ({points}).',
  'Automation: {name} on {day} ({points}).': 'Automação: {name} em {day} ({points}).',
  'Automation on {day} ({points}).': 'Automação em {day} ({points}).',
  'Adjustment: {note} on {day} ({points}).': 'Ajuste: {note} em {day} ({points}).',
  'Adjustment on {day} ({points}).': 'Ajuste em {day} ({points}).',

  // Faults of fields
  'is required': 'é obrigatório',
  'must be true or false': 'precisa ser sim ou não',
  'must be an object': 'precisa ser um objeto JSON',
  'must be an integer': 'precisa ser um número inteiro',
  'must be today or later in São Paulo': 'precisa ser hoje ou depois, em São Paulo',
  'must be at most a year from today': 'precisa ser no máximo daqui a um ano',
  'must be a number': 'precisa ser um número, como 4500 ou 4500,50',
  'must be an integer in minor units': 'precisa ser um valor, como 250,00',
  'must be a positive integer in minor units': 'precisa ser um valor maior que zero, como 250,00',
  'must be an integer from {min} to {max}': 'precisa ser um número inteiro de {min} a {max}',
  'must be at least {min}': 'precisa ser no mínimo {min}',
  'must be at most {max}': 'precisa ser no máximo {max}',
  'must be greater than {min}': 'precisa ser maior que {min}',
  'must be above 0': 'precisa ser maior que 0',
  'must not be 0': 'não pode ser 0',
  'must not be negative': 'não pode ser negativo',
  'must be positive': 'precisa ser maior que 0',
  'is out of range': 'está fora dos limites',
  'must not be empty': 'não pode ficar vazio',
  'must be a string': 'precisa ser um texto',
  'must be text': 'precisa ser um texto',
  'must have {min} to {max} characters': 'precisa ter de {min} a {max} caracteres',
  'must have at least {min} characters': 'precisa ter no mínimo {min} caracteres',
  'must have at most {max} characters': 'pode ter no máximo {max} caracteres',
  'must have at most {max} items': 'pode ter no máximo {max} itens',
  'must have at least one item': 'precisa ter pelo menos um item',
  'must contain at least one event type': 'escolha pelo menos um evento',
  'must be three digits, 001 to 999': 'precisa ter três dígitos, de 001 a 999',
  'must be one of {values}': 'precisa ser um destes: {values}',
  'must be a valid email address': 'não é um email válido',
  'must be an email address': 'não é um email válido',
  'must be the same as email': 'precisa ser igual ao primeiro email',
  'must be later than starts_at': 'precisa ser depois do início',
  'must be later than from': 'precisa ser depois do início do período',
  'must be a date, YYYY-MM-DD': 'precisa ser uma data',
  'must be an ISO 8601 timestamp with an offset or Z, such as 2026-11-20T09:00:00-03:00':
    'precisa ser uma data com horário, como 2026-11-20T09:00:00-03:00',
  'must be a UUID': 'não é um id válido',
  'must be a URL': 'não é um endereço válido',
  'must be a valid URL': 'não é um endereço válido',
  'must be an http(s) URL': 'precisa ser um endereço http ou https',
  'must start with https:// in production': 'precisa começar com https://',
  'must be a valid E.164 number, such as +5511987654321': 'precisa ser um telefone como +5511987654321',
  'must be a code of three capital letters, such as BRL': 'precisa ser uma moeda como BRL',
  'must be a currency code of three upper-case letters': 'precisa ser uma moeda como BRL',
  'must be an IANA time zone, such as America/Sao_Paulo':
    'precisa ser um fuso horário como America/Sao_Paulo',
  'must have at most two decimals': 'pode ter no máximo duas casas decimais',
  'must be an array of {what}': 'precisa ser uma lista JSON',
  'must be an array': 'precisa ser uma lista JSON',
  'must be unique': 'já existe',
  'is not supported by the admin API': 'não é aceito aqui',
  'does not exist in this workspace': 'não existe neste workspace',
  'does not exist in this workspace; there are {values}': 'não existe neste workspace. Existem: {values}',
  'does not exist in this workspace; there are {values} and {count} more':
    'não existe neste workspace. Existem, entre outros: {values}',
  'is required when the result is lost': 'é obrigatório quando o negócio é perdido',

  // Refusals
  'Fix these fields.': 'Corrija os campos marcados.',
  'Fix these fields and send the request with a fresh Idempotency-Key: {fields}.':
    'Corrija os campos marcados.',
  'The request refers to something that does not exist.': 'Algo que foi informado não existe.',

  'You can only grant scopes that your own token has.': 'Você só pode dar os escopos que você mesmo tem.',
  'this token lacks the scope {scope}': 'você não tem o escopo {scope}',
  'This caller requested the payout, so another one must decide on it.':
    'Você solicitou este repasse, então outra pessoa precisa decidir sobre ele.',
  'This caller and the one that requested the payout count as one person: both act for the same user, or one of them, or a third one, has known the secret of the other, because it created or rotated it. Another caller must decide on it.':
    'Você pode agir em nome de quem solicitou este repasse, então outra pessoa precisa decidir sobre ele.',

  // Remedies for a failed request
  'Send the header Authorization.':
    'O sistema que chamou não enviou credenciais. Configure nele a chave de API ou o cliente.',
  'Check the format of the header Authorization.':
    'O sistema que chamou enviou as credenciais em formato errado. Confira a configuração dele.',
  'Check the API key: no workspace has it. It may have been copied incompletely.':
    'Confira a chave de API: ela não pertence a nenhum workspace. Talvez tenha sido copiada pela metade.',
  'Use a key of this environment: sk_live_ in production, sk_test_ in staging.':
    'Use uma chave deste ambiente: sk_live_ em produção, sk_test_ em testes.',
  'The key or client was revoked. Create another one.':
    'A chave ou o cliente foi revogado. Crie outro em Acesso.',
  'The key has expired. Create or rotate one.': 'A chave expirou. Crie outra ou troque a atual em Acesso.',
  'Correct the clock of the caller: signatures are valid for 300 s.':
    'Acerte o relógio do sistema que chamou: assinaturas valem por 300 s.',
  'Check how the caller signs: method, path with query, body as sent, and the key.':
    'Confira como o sistema assina: método, caminho com parâmetros, corpo como enviado, e a chave.',
  "Call from an allowed IP address, or add this one to the key's allowlist.":
    'Faça a chamada a partir de um endereço IP permitido ou inclua este na lista da chave, em Acesso.',
  'Request another access token. It is invalid or has expired.':
    'O sistema precisa pedir outro token de acesso: este é inválido ou expirou.',
  'Check the credentials of the caller.': 'Confira as credenciais do sistema que chamou.',
  'Correct the request: fields names the invalid members, and the response describes each.':
    'O sistema que chamou enviou dados inválidos. Corrija nesse sistema os campos inválidos, que estão abaixo, e envie de novo. A resposta que ele recebeu explica cada um.',
  'Add the missing scope to the key or client, and request another access token.':
    'Inclua o escopo que falta na chave ou no cliente, em Acesso. Depois o sistema precisa pedir outro token.',
  'The caller may not do this. Check its scopes, and who owns the record.':
    'O sistema que chamou não pode fazer isto. Confira os escopos dele e quem é o responsável pelo registro.',
  'Check the path and the id. A record of another workspace does not exist for this caller.':
    'Confira o caminho e o id: o registro não existe neste workspace.',
  'Use a method that the header Allow of the response names.':
    'O sistema precisa usar um dos métodos que o cabeçalho Allow da resposta lista.',
  'Accept application/json.': 'O sistema precisa aceitar application/json.',
  'Read the current state first: the record or the key is used already, or its state does not allow this.':
    'O registro já existe, a chave já foi usada, ou o estado atual não permite isto. Leia o registro antes de tentar de novo.',
  'It is no longer available. Read the record for its current state.':
    'Isto não está mais disponível. Leia o registro para ver o estado atual.',
  'Read the record again and repeat the change with its current ETag.':
    'Alguém alterou o registro nesse meio-tempo. Leia de novo e repita a alteração.',
  'Send a smaller body, for example in several requests.':
    'Envie menos dados por vez, em várias requisições.',
  'Send application/json.': 'O sistema precisa enviar application/json.',
  'The workspace moved to another address, which the response names.':
    'O workspace mudou de endereço. O novo está na resposta.',
  'The request is valid, but the workspace does not allow it. The response says why.':
    'A requisição é válida, mas o workspace não a permite. A resposta diz por quê.',
  'Check the body, which could not be read. Send valid JSON in UTF-8.':
    'Confira o corpo da requisição, que não pôde ser lido. Envie JSON válido em UTF-8.',
  'Request only scopes that the client has, or grant it the missing ones.':
    'Peça só os escopos que o cliente tem ou conceda a ele os que faltam.',
  'Request the token for an address of this service: check audience and resource.':
    'Peça o token para um endereço deste serviço: confira audience e resource.',
  'Use another Idempotency-Key. This one belongs to a request with another body or path.':
    'Use outra Idempotency-Key. Esta pertence a uma requisição com outro corpo ou caminho.',
  'Update the MCP client: it sent a message that this server does not support. The response says what is wrong.':
    'Atualize o cliente MCP: ele enviou uma mensagem que este servidor não aceita. A resposta diz o que está errado.',
  'Call from a program instead of a web page, or add the origin of the page to MCP_ALLOWED_ORIGINS.':
    'Chame de um programa em vez de uma página web ou inclua a origem da página em MCP_ALLOWED_ORIGINS.',
  'Wait for the first request with this Idempotency-Key, then send it again.':
    'Espere a primeira requisição com esta Idempotency-Key terminar e envie de novo.',
  'Send the body without long pauses. Check the connection of the caller.':
    'Envie o corpo sem pausas longas. Confira a conexão de quem chama.',
  'The request names something that does not exist, or the workspace does not allow it. The response says why.':
    'A requisição cita algo que não existe ou que o workspace não permite. A resposta diz o motivo.',
  'Send fewer requests, or wait as long as Retry-After says. A larger plan has higher limits.':
    'O limite de requisições do plano foi atingido. Envie menos requisições, espere, ou use um plano maior.',
  'Connect a payment provider that supports this.':
    'Conecte um provedor de pagamento que faça isto, em Pagamentos.',
  'The payment provider rejected the order or did not respond. See the response, and admin.provider_accounts.':
    'O provedor de pagamento recusou a operação ou não respondeu. Veja a resposta e a conta em Pagamentos, Provedores.',
  'Retry after the time in Retry-After. If it lasts, check the health of the deployment.':
    'Foi uma indisponibilidade temporária. Tente de novo; se continuar, avise quem opera a instalação.',
  'This is a fault of Placar. Report it with the request id.':
    'É um defeito do Placar. Informe o id da requisição a quem opera a instalação.',
  'See the response of the request.': 'Veja a resposta da requisição.',

  // Changes without a kind of record
  'Mapped CRM stage "{name}" to stage "{stage}".': 'Etapa do CRM "{name}" associada à etapa "{stage}".',
  'Mapped CRM activity type "{name}" to activity code {code}.':
    'Tipo de atividade do CRM "{name}" associado ao código {code}.',
  'Unmapped CRM stage "{name}".': 'Etapa do CRM "{name}" sem associação.',
  'Unmapped CRM activity type "{name}".': 'Tipo de atividade do CRM "{name}" sem código.',
  'Started preview of {crm}.': 'Prévia de {crm} iniciada.',
  'Started import of {crm}.': 'Importação de {crm} iniciada.',
  'Started reconcile of {crm}.': 'Leitura de alterações de {crm} iniciada.',
  'Started compare of {crm}.': 'Comparação com {crm} iniciada.',
  'Resolved CRM difference "{kind}" with ours.': 'Diferença resolvida com o valor daqui.',
  'Resolved CRM difference "{kind}" with theirs.': 'Diferença resolvida com o valor do CRM.',
  'Created a link to authorize the account.': 'Link de autorização criado.',
  // CRMs
  'The account is {state}. Wait until it is active.': 'A conta não está ativa. Espere até que esteja.',
  'has no finished import: import first': 'ainda não tem uma importação concluída: importe antes',
  'The account is connected. Disconnect it first.': 'A conta está conectada. Desconecte-a antes.',
  'A CRM can only do what your own token may do.': 'Um CRM só pode fazer o que o seu acesso permite.',
  'RD Station CRM rejects the authorization: authorize again.':
    'O RD Station CRM recusa a autorização: autorize de novo.',
  'Another workspace has connected this account of the CRM.':
    'Outro workspace já conectou esta conta do CRM.',
  'The credentials belong to another company than the one that was connected before. Disconnect and forget this account first.':
    'As credenciais são de outra empresa, não da que estava conectada. Desconecte e esqueça esta conta antes.',
  'is not in the format of this CRM': 'não tem o formato deste CRM',
  'must be a code from 001 to 999': 'precisa ser um código de 001 a 999',
  'must be the name of a field in the CRM': 'precisa ser o nome de um campo no CRM',
  'Mapped activity code {code} to mission "{name}".':
    'Código de atividade {code} associado à missão "{name}".',
  'Unmapped activity code {code} from mission "{name}".':
    'Código de atividade {code} desassociado da missão "{name}".',
  'Adjusted the points of {who} by {points}.': 'Pontos de {who} ajustados em {points}.',
  'Adjusted the balance by {amount} {currency} (minor units).':
    'Saldo ajustado em {amount} centavos ({currency}).',
  'Voided activity {id}.': 'Atividade {id} anulada.',
  'Excluded {who} from rankings.': '{who} foi ocultado do ranking.',
  'Included {who} in rankings again.': '{who} voltou ao ranking.',
  'Approved payout {id}.': 'Repasse {id} aprovado.',
  'Rejected payout {id}.': 'Repasse {id} rejeitado.',
  'Exported the data of a person.': 'Dados de uma pessoa exportados.',
  'Erased a person.': 'Dados de uma pessoa eliminados.',
  'Changed the plan from {before} to {after}.': 'Plano alterado de {before} para {after}.',

  // Deliveries of webhooks
  'Connection refused{more}': 'Conexão recusada: nada responde neste endereço.',
  '{before}onnection refused{more}': 'Conexão recusada: nada responde neste endereço.',
  '{before}dns error{more}': 'O nome do servidor não existe.',
  '{before}timed out{more}': 'O servidor não respondeu a tempo.',
  '{before}certificate{more}': 'O certificado do servidor não é válido.',
};

/** Kinds of records in the audit trail, with their gender. */
export const kindsPtBr: Readonly<Record<string, readonly [name: string, ending: 'a' | 'o']>> = {
  activity: ['atividade anulada', 'a'],
  'activity code': ['código de atividade', 'o'],
  'api key': ['chave de API', 'a'],
  automation: ['automação', 'a'],
  badge: ['medalha', 'a'],
  board: ['painel', 'o'],
  challenge: ['desafio', 'o'],
  client: ['cliente da API', 'o'],
  'CRM account': ['conta de CRM', 'a'],
  'CRM activity type': ['tipo de atividade do CRM', 'o'],
  'CRM difference': ['diferença com o CRM', 'a'],
  'CRM run': ['execução do CRM', 'a'],
  'CRM stage': ['etapa do CRM', 'a'],
  'cost center': ['centro de custo', 'o'],
  deal: ['negócio', 'o'],
  lead: ['lead', 'o'],
  mission: ['missão', 'a'],
  'payment webhook': ['webhook de pagamentos', 'o'],
  payout: ['repasse', 'o'],
  person: ['pessoa', 'a'],
  points: ['ajuste de pontos', 'o'],
  ranking: ['ranking', 'o'],
  'payout approval rule': ['regra de aprovação', 'a'],
  'point rule': ['regra de pontos', 'a'],
  'provider account': ['conta em provedor', 'a'],
  'provider key': ['chave de provedor', 'a'],
  'provider route': ['rota de provedor', 'a'],
  season: ['temporada', 'a'],
  stage: ['etapa', 'a'],
  team: ['equipe', 'a'],
  tenant: ['workspace', 'o'],
  tier: ['nível', 'o'],
  user: ['usuário', 'o'],
  'user access': ['acesso', 'o'],
  webhook: ['webhook', 'o'],
};

/** The meanings of event types. */
export const eventsPtBr: Readonly<Record<string, string>> = {
  'deal.created': 'negócio criado',
  'deal.updated': 'negócio alterado',
  'deal.stage_changed': 'negócio mudou de etapa',
  'deal.won': 'negócio ganho',
  'deal.lost': 'negócio perdido',
  'deal.deleted': 'negócio excluído',
  'lead.created': 'lead criado',
  'lead.updated': 'lead alterado',
  'lead.status_changed': 'lead mudou de status',
  'lead.converted': 'lead convertido',
  'lead.merged': 'lead mesclado',
  'lead.deleted': 'lead excluído',
  'lead.qualified': 'lead qualificado',
  'activity.completed': 'atividade concluída',
  'user.created': 'usuário criado',
  'user.activated': 'usuário ativado',
  'user.updated': 'usuário alterado',
  'user.deactivated': 'usuário desativado',
  'badge.earned': 'medalha conquistada',
  'challenge.completed': 'desafio concluído',
  'ranking.changed': 'ranking mudou',
  'invoice.paid': 'cobrança paga',
  'invoice.canceled': 'cobrança cancelada',
  'invoice.failed': 'cobrança falhou',
  'invoice.refunded': 'cobrança estornada',
  'invoice.disputed': 'cobrança contestada',
  'invoice.dispute_closed': 'contestação encerrada',
  'invoice.refund.created': 'estorno criado',
  'invoice.refund.succeeded': 'estorno concluído',
  'invoice.refund.failed': 'estorno falhou',
  'tax_document.issued': 'nota fiscal emitida',
  'tax_document.failed': 'nota fiscal falhou',
  'tax_document.canceled': 'nota fiscal cancelada',
  'payout.paid': 'repasse pago',
  'payout.failed': 'repasse falhou',
  'payout.canceled': 'repasse cancelado',
  'webhook.test': 'teste',
};
