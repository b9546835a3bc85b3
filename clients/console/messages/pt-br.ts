/**
 * Brazilian Portuguese of the console's pages, by English text. `{name}` is replaced by a value. Texts that emails and the payer's page
 * use as well are in `shared/platform/messages/pt-br.ts`.
 */
export const ptBr = {
  // Frame
  Menu: 'Menu',
  'no access': 'sem acesso',
  'Your credentials do not open this page': 'Suas credenciais não abrem esta página',
  'Times are in {zone}.': 'Horários em {zone}.',
  yes: 'sim',
  no: 'não',
  Users: 'Usuários',
  Teams: 'Equipes',
  Gamification: 'Gamificação',
  'Activity codes': 'Códigos de atividade',
  'Point rules': 'Regras de pontos',
  Seasons: 'Temporadas',
  Tiers: 'Níveis',
  Corrections: 'Correções',
  Automations: 'Automações',
  Providers: 'Provedores',
  Access: 'Acesso',
  'API keys': 'Chaves de API',
  Clients: 'Clientes da API',
  Persons: 'Pessoas',
  Changes: 'Alterações',
  Settings: 'Configurações',
  Workspace: 'Workspace',
  Stages: 'Etapas',

  // Session
  'Enter the code from the terminal': 'Digite o código que está no terminal',
  'The terminal that runs the console shows a code of eight digits.':
    'O terminal que executa o console mostra um código de oito dígitos.',
  'Open the console': 'Abrir o console',
  'This code is wrong. {count} attempt left.': 'Código errado. Resta {count} tentativa.',
  'This code is wrong. {count} attempts left.': 'Código errado. Restam {count} tentativas.',
  'The console has stopped': 'O console foi encerrado',
  'Five wrong codes were entered. Start the console again.':
    'Cinco códigos errados foram digitados. Inicie o console de novo.',

  // Failures
  'There is no such record in this workspace.': 'Este registro não existe neste workspace.',
  'The console has no such page.': 'O console não tem esta página.',
  'The terminal has the reason.': 'O motivo está no terminal.',
  'No access': 'Sem acesso',
  'It needs a client with this scope:': 'É preciso um cliente com este escopo:',
  'This page needs an API key. Restart the console with PLACAR_API_KEY.':
    'Esta página precisa de uma chave de API. Reinicie o console com PLACAR_API_KEY.',
  'This page needs a client. Restart the console with PLACAR_CLIENT_ID and PLACAR_CLIENT_SECRET.':
    'Esta página precisa de um cliente. Reinicie o console com PLACAR_CLIENT_ID e PLACAR_CLIENT_SECRET.',
  'The deployment is unreachable': 'A instalação está inacessível',
  'No response from {url}.': 'Sem resposta de {url}.',
  'The credentials are no longer accepted': 'As credenciais não são mais aceitas',
  'Enter new credentials in the terminal that runs the console, then reload this page.':
    'Digite novas credenciais no terminal que executa o console e recarregue esta página.',
  'Too many requests': 'Requisições demais',
  'The limit of the plan is used up.': 'O limite do plano foi atingido.',
  'Temporarily unavailable': 'Temporariamente indisponível',
  'The deployment cannot answer at the moment.': 'A instalação não consegue responder no momento.',
  'Try again in {count} second.': 'Tente de novo em {count} segundo.',
  'Try again in {count} seconds.': 'Tente de novo em {count} segundos.',
  'The deployment refused the request': 'A instalação recusou a requisição',

  // Lists, details and forms
  Search: 'Buscar',
  From: 'De',
  To: 'Até',
  Next: 'Próxima',
  Previous: 'Anterior',
  'First page': 'Primeira página',
  '{count} row': '{count} linha',
  '{count} rows': '{count} linhas',
  'page {page} of {pages}': 'página {page} de {pages}',
  'Nothing matches the filters': 'Nada corresponde aos filtros',
  'Only the first 10,000 rows. Use a narrower filter.':
    'Só as primeiras 10.000 linhas. Use um filtro mais restrito.',
  Action: 'Ação',
  Cancel: 'Cancelar',
  '(optional)': '(opcional)',
  'Saved meanwhile:': 'Salvo nesse meio-tempo:',
  nothing: 'nada',
  'Somebody else changed this meanwhile. Compare, then save again.':
    'Outra pessoa alterou isto nesse meio-tempo. Compare e salve de novo.',
  'Show the existing one': 'Mostrar o existente',
  'This is shown only once. Copy it before you leave this page.':
    'Isto só é mostrado uma vez. Copie antes de sair desta página.',
  'I have copied it': 'Já copiei',
  'Created.': 'Criado.',
  'Saved.': 'Salvo.',
  'Deleted.': 'Excluído.',
  'Revoked.': 'Revogado.',
  Edit: 'Editar',
  Delete: 'Excluir',
  'Nothing here': 'Nada aqui',
  'Nothing waits for you': 'Nada espera por você',

  // Overview
  'What happened, and what waits for you.': 'O que aconteceu e o que espera por você.',
  'What waits for you': 'O que espera por você',
  'Payouts to approve, failing accounts and stopped webhooks appear here.':
    'Repasses para aprovar, contas com falha e webhooks parados aparecem aqui.',
  'The account at {provider} fails': 'A conta na {provider} está falhando',
  'Requests by hour': 'Requisições por hora',
  'Failed requests': 'Requisições com falha',
  'Requests of the last 24 hours': 'Requisições das últimas 24 horas',
  'Requests of the last 24 hours appear here.': 'As requisições das últimas 24 horas aparecem aqui.',
  'The latest {count} requests, since {time}.': 'As últimas {count} requisições, desde {time}.',
  '{time}: {good} successful, {refused} client errors, {broken} server errors':
    '{time}: {good} com sucesso, {refused} erros do cliente, {broken} erros do servidor',
  'Plan {name}': 'Plano {name}',
  '{used} of {max}': '{used} de {max}',
  'Create the first mission': 'Criar a primeira missão',
  'What players do for points.': 'O que os jogadores fazem para ganhar pontos.',
  'Invite a user': 'Convidar um usuário',
  'Who plays, and who leads.': 'Quem joga e quem lidera.',
  'Create a webhook': 'Criar um webhook',
  'Your systems learn what happens here.': 'Seus sistemas ficam sabendo do que acontece aqui.',

  // Requests, events and changes
  'Unknown callers': 'Chamadores desconhecidos',
  'Requests of callers that no workspace knows, and of the stack itself.':
    'Requisições de chamadores que nenhum workspace conhece, e do próprio ambiente.',
  'All API requests of the last 24 hours, or of the time that you choose, at most 31 days.':
    'Todas as requisições à API nas últimas 24 horas ou no período escolhido, de no máximo 31 dias.',
  'No requests in this time': 'Nenhuma requisição neste período',
  'Show the last 7 days': 'Mostrar os últimos 7 dias',
  'Path begins with': 'Caminho começa com',
  'Other requests with this id': 'Outras requisições com este id',
  'Changes by this request': 'Alterações feitas por esta requisição',
  'It changed no settings': 'Não alterou configurações',
  'What happened to records and payments. Webhooks and feeds deliver the same events.':
    'O que aconteceu com registros e pagamentos. Webhooks e feeds entregam os mesmos eventos.',
  'There are more events than were read so far, and newer ones.':
    'Há mais eventos, e mais recentes, do que os lidos até agora.',
  'Read on': 'Continuar lendo',
  'No events in this time': 'Nenhum evento neste período',
  'Events appear here when records or payments change.':
    'Eventos aparecem aqui quando registros ou pagamentos mudam.',
  'Changed members': 'Membros alterados',
  Silent: 'Silencioso',
  Data: 'Dados',
  Webhook: 'Webhook',
  'No webhook received it recently': 'Nenhum webhook o recebeu recentemente',
  'Who changed what in this workspace, and when.': 'Quem alterou o quê neste workspace, e quando.',
  'No changes in this time': 'Nenhuma alteração neste período',
  'Changes appear here when somebody sets something up, by the console, the API or SQL.':
    'Alterações aparecem aqui quando alguém configura algo pelo console, pela API ou por SQL.',
  'Before and after': 'Antes e depois',
  'No values are kept for this change': 'Nenhum valor é guardado para esta alteração',
  Member: 'Membro',
  Before: 'Antes',
  After: 'Depois',

  // Gamification
  'What players do for points. Activity codes decide which activities count.':
    'O que os jogadores fazem para ganhar pontos. Os códigos de atividade decidem quais atividades contam.',
  'Create mission': 'Criar missão',
  'The mission is deleted. A mission that somebody has completed cannot be deleted: give it no codes instead.':
    'A missão é excluída. Uma missão que alguém já cumpriu não pode ser excluída: remova os códigos dela.',
  'Points for each completion, 0 to 1,000,000.': 'Pontos por cumprimento, de 0 a 1.000.000.',
  'One code per line, 001 to 999. A code that counts for another mission moves here, with its points.':
    'Um código por linha, de 001 a 999. Um código que conta para outra missão passa para esta, com os pontos.',
  'No missions yet': 'Nenhuma missão ainda',
  'Create the first mission: a name, its points, and the activity codes that your CRM sends.':
    'Crie a primeira missão: um nome, os pontos e os códigos de atividade que seu CRM envia.',
  'Codes that activities carry, and the missions that they count for.':
    'Códigos que as atividades trazem e as missões para as quais contam.',
  'Codes that count for nothing': 'Códigos que não contam para nada',
  'Counts for a mission': 'Conta para uma missão',
  'Map to a mission': 'Associar a uma missão',
  'Activities that were recorded before count, too.': 'Atividades registradas antes também contam.',
  Unmap: 'Desassociar',
  'The code counts for no mission afterwards, and the points that it earned are reversed.':
    'O código deixa de contar para qualquer missão, e os pontos que rendeu são estornados.',
  'No codes yet': 'Nenhum código ainda',
  'Codes appear here when a CRM sends activities or a mission names them.':
    'Códigos aparecem aqui quando um CRM envia atividades ou uma missão os cita.',
  'Points for events of deals, leads and activities.': 'Pontos por eventos de negócios, leads e atividades.',
  'Set points for an event': 'Definir pontos de um evento',
  'If the event has a rule already, the rule is changed. Points of past events stay.':
    'Se o evento já tem uma regra, ela é alterada. Os pontos de eventos passados ficam.',
  'Only for deal.stage_changed.': 'Só para deal.stage_changed.',
  'How often a player earns the points in a day. Empty: without a limit.':
    'Quantas vezes por dia um jogador ganha os pontos. Vazio: sem limite.',
  'The event earns no points afterwards. Points that the rule has awarded stay.':
    'O evento deixa de render pontos. Os pontos já concedidos pela regra ficam.',
  'No rules yet': 'Nenhuma regra ainda',
  'Set points for an event, such as a won deal.': 'Defina pontos para um evento, como um negócio ganho.',
  'Players earn a badge when a metric reaches its threshold.':
    'Jogadores ganham uma medalha quando uma métrica atinge o limite dela.',
  'Create badge': 'Criar medalha',
  'The badge is deleted. This cannot be undone.': 'A medalha é excluída. Isto não pode ser desfeito.',
  'Badges that were earned stay earned.': 'Medalhas já conquistadas continuam conquistadas.',
  'No badges yet': 'Nenhuma medalha ainda',
  'Create one for a number of points, won deals and so on.':
    'Crie uma por número de pontos, negócios ganhos e assim por diante.',
  'Targets to reach within a time, with a reward.': 'Metas a alcançar em um prazo, com recompensa.',
  'Create challenge': 'Criar desafio',
  'The challenge is deleted. This cannot be undone.': 'O desafio é excluído. Isto não pode ser desfeito.',
  'No challenges yet': 'Nenhum desafio ainda',
  'Create one: a metric, a target, and the days in which it counts.':
    'Crie um: uma métrica, uma meta e os dias em que ele vale.',
  'The end is excluded: midnight ends the day before.':
    'O fim não está incluído: meia-noite encerra o dia anterior.',
  'Periods with standings of their own.': 'Períodos com ranking próprio.',
  'Create season': 'Criar temporada',
  'The season is deleted. Points stay, because they belong to players and not to seasons.':
    'A temporada é excluída. Os pontos ficam, porque são dos jogadores e não das temporadas.',
  'No seasons yet': 'Nenhuma temporada ainda',
  'Create one, such as a quarter.': 'Crie uma, como um trimestre.',
  'Levels that players reach with points.': 'Níveis que os jogadores alcançam com pontos.',
  'Create tier': 'Criar nível',
  'The tier is deleted. Its players fall into the tier below.':
    'O nível é excluído. Os jogadores passam para o nível abaixo.',
  'No tiers yet': 'Nenhum nível ainda',
  'Create one, such as Gold from 1,000 points.': 'Crie um, como Ouro a partir de 1.000 pontos.',
  'Adjust points, void activities that should not count, and hide players from the standings.':
    'Ajuste pontos, anule atividades que não deveriam contar e oculte jogadores do ranking.',
  'Adjust points': 'Ajustar pontos',
  'Adds an entry to the points of a player. An entry cannot be removed, only balanced by another one.':
    'Adiciona um lançamento aos pontos de um jogador. Um lançamento não pode ser removido, só compensado por outro.',
  'A negative number takes points away.': 'Um número negativo tira pontos.',
  'Void an activity': 'Anular uma atividade',
  'The activity no longer counts and its points are reversed. This cannot be undone: sent again, the activity stays void.':
    'A atividade deixa de contar e os pontos são estornados. Isto não pode ser desfeito: enviada de novo, ela continua anulada.',
  'Hide a player': 'Ocultar um jogador',
  'A hidden player keeps earning points but is not in the standings. Leave the box empty to show the player again.':
    'Um jogador oculto continua ganhando pontos, mas não aparece no ranking. Desmarque a caixa para mostrá-lo de novo.',
  'No activities yet': 'Nenhuma atividade ainda',
  'Activities appear here when a CRM sends them.': 'Atividades aparecem aqui quando um CRM as envia.',
  'Players by points.': 'Jogadores por pontos.',

  // Automations
  'Actions that run when an event occurs.': 'Ações que são executadas quando um evento ocorre.',
  'Create automation': 'Criar automação',
  'The automation and the list of its runs are deleted. To stop it only, edit it and clear Active.':
    'A automação e a lista de execuções são excluídas. Para só parar a automação, edite-a e desmarque Ativo.',
  'A JSON list such as [{"field": "value", "op": "gt", "value": 10000}]. All must match; [] always matches.':
    'Uma lista JSON como [{"field": "value", "op": "gt", "value": 10000}]. Todas precisam valer; [] vale sempre.',
  'A JSON list such as [{"type": "add_tag", "tag": "big"}]. Other types: assign_owner, move_stage, create_activity, award_points.':
    'Uma lista JSON como [{"type": "add_tag", "tag": "big"}]. Outros tipos: assign_owner, move_stage, create_activity, award_points.',
  'Latest runs': 'Últimas execuções',
  'No runs yet': 'Nenhuma execução ainda',
  'No automations yet': 'Nenhuma automação ainda',
  'An example: when a deal above 10,000 is created, add the tag big and a call to its activities.':
    'Um exemplo: quando um negócio acima de 10.000 é criado, adicionar a tag big e uma ligação às atividades.',
  'On {event}, if {conditions}: {actions}': 'Em {event}, se {conditions}: {actions}',
  'On {event}: {actions}': 'Em {event}: {actions}',

  // Access
  'For activity sync and payments.': 'Para sincronização de atividades e pagamentos.',
  'Create key': 'Criar chave',
  'Says who uses it, such as the name of a system.': 'Diz quem usa, como o nome de um sistema.',
  'Only what your own client may do can be given.':
    'Só se pode conceder o que o seu próprio cliente pode fazer.',
  'One address or network per line. Empty: from everywhere.':
    'Um endereço ou rede por linha. Vazio: de qualquer lugar.',
  'Empty: never.': 'Vazio: nunca.',
  Rotate: 'Trocar',
  'Creates a new key and shows it once. This one ends in 24 hours.':
    'Cria uma nova chave e a mostra uma vez. Esta deixa de valer em 24 horas.',
  Revoke: 'Revogar',
  'The key stops working at once. This cannot be undone.':
    'A chave deixa de funcionar imediatamente. Isto não pode ser desfeito.',
  'No keys yet': 'Nenhuma chave ainda',
  'Create one for each system that sends activities or payments.':
    'Crie uma para cada sistema que envia atividades ou pagamentos.',
  'For records, administration and agents: they exchange their secret for access tokens.':
    'Para registros, administração e agentes: eles trocam o segredo por tokens de acesso.',
  'Create client': 'Criar cliente',
  'Who the client acts as, for example as author of activities.':
    'Em nome de quem o cliente age, por exemplo como autor de atividades.',
  'Rotate secret': 'Trocar segredo',
  'Creates a new secret and shows it once. The secret before it ends in 24 hours.':
    'Cria um novo segredo e o mostra uma vez. O segredo anterior deixa de valer em 24 horas.',
  'The client and its tokens stop working at once, and its webhooks stop. This cannot be undone.':
    'O cliente e os tokens deixam de funcionar imediatamente, e os webhooks dele param. Isto não pode ser desfeito.',
  'No clients yet': 'Nenhum cliente ainda',
  'Create one for each system or agent that reads or changes records.':
    'Crie um para cada sistema ou agente que lê ou altera registros.',

  // Settings and persons
  'Settings and plan of the workspace.': 'Configurações e plano do workspace.',
  'Change settings': 'Alterar configurações',
  'An IANA name such as America/Sao_Paulo.': 'Um nome IANA como America/Sao_Paulo.',
  'Receives emails about failing webhooks and accounts.': 'Recebe emails sobre webhooks e contas com falha.',
  'The steps of the pipeline.': 'Os passos do funil.',
  'Create stage': 'Criar etapa',
  'The stage is deleted. A stage with deals cannot be deleted: move them first.':
    'A etapa é excluída. Uma etapa com negócios não pode ser excluída: mova-os antes.',
  '0 to 100.': 'De 0 a 100.',
  'No stages yet': 'Nenhuma etapa ainda',
  "A copy of a person's data, or its erasure.": 'Uma cópia dos dados de uma pessoa, ou a eliminação deles.',
  'Export as a file': 'Exportar como arquivo',
  'Collects everything that is stored about the person in one JSON file.':
    'Reúne em um arquivo JSON tudo o que está guardado sobre a pessoa.',
  Erase: 'Eliminar',
  'Empties name, addresses and free text of the person everywhere, also in events and logs of changes. Ledgers and issued tax documents stay. This cannot be undone.':
    'Esvazia nome, endereços e textos livres da pessoa em todos os lugares, também em eventos e registros de alterações. Livros-razão e notas fiscais emitidas ficam. Isto não pode ser desfeito.',
  'The person was erased.': 'A pessoa foi eliminada.',
  'Records and administration': 'Registros e administração',
  'Everything on these pages is also possible by the API.': 'Tudo nestas páginas também é possível pela API.',
  'OpenAPI documents of this deployment': 'Documentos OpenAPI desta instalação',

  // Payments
  'What customers pay.': 'O que os clientes pagam.',
  'Cancel invoice': 'Cancelar cobrança',
  'The customer can no longer pay the invoice, and its tax document is canceled. This cannot be undone.':
    'O cliente não pode mais pagar a cobrança, e a nota fiscal é cancelada. Isto não pode ser desfeito.',
  'The invoice was canceled.': 'A cobrança foi cancelada.',
  Refunds: 'Estornos',
  'No refunds': 'Nenhum estorno',
  'Invoices appear here once your system creates them.':
    'Cobranças aparecem aqui quando o seu sistema as cria.',
  'What you pay to others.': 'O que você paga a outros.',
  Approve: 'Aprovar',
  'The payout is sent to its provider. Money that was sent cannot be called back.':
    'O repasse é enviado ao provedor. Dinheiro enviado não pode ser chamado de volta.',
  'The payout was approved.': 'O repasse foi aprovado.',
  Reject: 'Rejeitar',
  'The payout fails and is not sent. This cannot be undone.':
    'O repasse falha e não é enviado. Isto não pode ser desfeito.',
  'The payout was rejected.': 'O repasse foi rejeitado.',
  'Waiting payouts': 'Repasses em espera',
  'Waiting for approval': 'Aguardando aprovação',
  'Payouts that wait for a second person, or for money at their provider.':
    'Repasses que esperam por uma segunda pessoa ou por dinheiro no provedor.',
  'Waiting for': 'Esperando por',
  'Cancel payout': 'Cancelar repasse',
  'The payout is not sent. This cannot be undone.': 'O repasse não é enviado. Isto não pode ser desfeito.',
  'The payout was canceled.': 'O repasse foi cancelado.',
  'Payouts appear here once your system creates them.':
    'Repasses aparecem aqui quando o seu sistema os cria.',
  'Every amount in and out, which nothing changes afterwards.':
    'Todos os valores que entram e saem, que nada altera depois.',
  'Adjust balance': 'Ajustar saldo',
  'Adds an entry to the ledger. An entry cannot be removed, only balanced by another one.':
    'Adiciona um lançamento ao livro-razão. Um lançamento não pode ser removido, só compensado por outro.',
  'A negative amount lowers the balance.': 'Um valor negativo reduz o saldo.',
  'No entries yet': 'Nenhum lançamento ainda',
  'The first payment creates the first entry.': 'O primeiro pagamento cria o primeiro lançamento.',
  'Accounts through which money comes and goes.': 'Contas pelas quais o dinheiro entra e sai.',
  Checked: 'Verificada',
  Compared: 'Comparada',
  'Connect, or replace the key': 'Conectar ou trocar a chave',
  'The key is checked at the provider and stored encrypted. Nobody can read it afterwards.':
    'A chave é verificada no provedor e guardada criptografada. Ninguém consegue lê-la depois.',
  'Of Asaas and Stripe.': 'Do Asaas e da Stripe.',
  'Of Wise.': 'Da Wise.',
  'Wise: {"profile_id": 12345678, "source_currency": "EUR"}. Asaas: {"municipal_service_code": "1.01"}.':
    'Wise: {"profile_id": 12345678, "source_currency": "EUR"}. Asaas: {"municipal_service_code": "1.01"}.',
  'Of Asaas, if its withdrawal validation is set up already.':
    'Do Asaas, se a validação de saques já está configurada.',
  'The account is being checked.': 'A conta está sendo verificada.',
  'Set approval rule': 'Definir regra de aprovação',
  'Payouts above the amount wait for a second person. An empty amount ends the rule. Raising or ending it also needs approve:payouts.':
    'Repasses acima do valor esperam por uma segunda pessoa. Um valor vazio encerra a regra. Aumentar ou encerrar também exige approve:payouts.',
  'Set route': 'Definir rota',
  'Decides which providers an order may go to, the preferred one first. Without providers, the default applies again.':
    'Decide para quais provedores uma ordem pode ir, o preferido primeiro. Sem provedores, volta a valer o padrão.',
  Region: 'Região',
  'One per line: asaas, wise, stripe or sandbox.': 'Um por linha: asaas, wise, stripe ou sandbox.',
  'Compare with the provider': 'Comparar com o provedor',
  'The comparison has begun.': 'A comparação começou.',
  'New withdrawal token': 'Novo token de saque',
  'Creates the address and the token to enter in the withdrawal validation of Asaas. The token is shown once, and the one before ends.':
    'Cria o endereço e o token para a validação de saques do Asaas. O token é mostrado uma vez, e o anterior deixa de valer.',
  Disconnect: 'Desconectar',
  'New orders no longer go to this account, and its key is deleted. Orders that the provider has are completed.':
    'Novas ordens não vão mais para esta conta, e a chave é excluída. Ordens que o provedor já tem são concluídas.',
  'The account is being disconnected.': 'A conta está sendo desconectada.',
  Funding: 'Depósito',
  'Approval rules': 'Regras de aprovação',
  'No rule: payouts are sent without a second person':
    'Nenhuma regra: repasses são enviados sem uma segunda pessoa',
  Routes: 'Rotas',
  'No routes': 'Nenhuma rota',
  Default: 'Padrão',
  'No provider is connected': 'Nenhum provedor conectado',
  'Asaas for charges, Pix payouts and NFS-e in Brazil; Stripe for cards abroad; Wise for payouts in other currencies. You need an API key of your account there.':
    'Asaas para cobranças, repasses por Pix e NFS-e no Brasil; Stripe para cartões no exterior; Wise para repasses em outras moedas. Você precisa de uma chave de API da sua conta lá.',

  // Records
  'People and companies who may become customers.': 'Pessoas e empresas que podem virar clientes.',
  'Job title': 'Cargo',
  'Create lead': 'Criar lead',
  Assign: 'Atribuir',
  'One tag per line.': 'Uma tag por linha.',
  'A JSON object.': 'Um objeto JSON.',
  'The id of the record in your own system.': 'O id do registro no seu próprio sistema.',
  'Convert to a deal': 'Converter em negócio',
  'Creates a deal and closes the lead. This cannot be undone.':
    'Cria um negócio e encerra o lead. Isto não pode ser desfeito.',
  'The lead was converted.': 'O lead foi convertido.',
  Merge: 'Mesclar',
  'Activities and deals of the other lead move to this one, and the other lead is deleted. This cannot be undone.':
    'Atividades e negócios do outro lead passam para este, e o outro lead é excluído. Isto não pode ser desfeito.',
  'The id of the other lead, as its page shows it.': 'O id do outro lead, como a página dele mostra.',
  'The leads were merged.': 'Os leads foram mesclados.',
  'Create one here, or let your CRM send them.': 'Crie um aqui ou deixe que seu CRM os envie.',
  'Sales in progress, won and lost.': 'Vendas em andamento, ganhas e perdidas.',
  'Create deal': 'Criar negócio',
  'Move to a stage': 'Mover para uma etapa',
  'The deal was moved.': 'O negócio foi movido.',
  Close: 'Fechar',
  'A closed deal cannot be opened again.': 'Um negócio fechado não pode ser reaberto.',
  'Only for lost deals.': 'Só para negócios perdidos.',
  'The deal was closed.': 'O negócio foi fechado.',
  'Convert a lead, or create a deal here.': 'Converta um lead ou crie um negócio aqui.',
  'Members of the workspace.': 'Membros do workspace.',
  'Invite user': 'Convidar usuário',
  'The person receives an email with a link.': 'A pessoa recebe um email com um link.',
  'The user was invited.': 'O usuário foi convidado.',
  Deactivate: 'Desativar',
  'The user can no longer sign in. Leads and deals stay with the user, and points stay in the standings.':
    'O usuário não pode mais entrar. Leads e negócios continuam com ele, e os pontos ficam no ranking.',
  'The user was deactivated.': 'O usuário foi desativado.',
  'No points yet': 'Nenhum ponto ainda',
  'No users yet': 'Nenhum usuário ainda',
  'Invite the first one.': 'Convide o primeiro.',
  'Groups of users, each with a leader.': 'Grupos de usuários, cada um com um líder.',
  'Create team': 'Criar equipe',
  'Add member': 'Adicionar membro',
  'No members yet': 'Nenhum membro ainda',
  'No teams yet': 'Nenhuma equipe ainda',
  'Create the first one.': 'Crie a primeira.',

  // Webhooks
  'Payment webhooks': 'Webhooks de pagamentos',
  'Addresses that receive events of invoices, tax documents and payouts.':
    'Endereços que recebem eventos de cobranças, notas fiscais e repasses.',
  'Addresses that receive events of leads, deals, users and points.':
    'Endereços que recebem eventos de leads, negócios, usuários e pontos.',
  'Create webhook': 'Criar webhook',
  'An https address that accepts POST.': 'Um endereço https que aceita POST.',
  'None selected: all events.': 'Nenhum selecionado: todos os eventos.',
  'A JSON list such as [{"field": "value", "op": "gt", "value": 1000}]. All of them must match.':
    'Uma lista JSON como [{"field": "value", "op": "gt", "value": 1000}]. Todos precisam valer.',
  'One member per line. At least one of them must have changed.':
    'Um membro por linha. Pelo menos um deles precisa ter mudado.',
  'Sends the events of one record one after another.': 'Envia os eventos de um registro um após o outro.',
  'Combines changes of one record within this time, 1 to 300.':
    'Reúne as alterações de um registro neste tempo, de 1 a 300.',
  'Activating it again also resets earlier failures.': 'Ativar de novo também zera as falhas anteriores.',
  'Creates a new secret and shows it once. Deliveries are signed with it from then on.':
    'Cria um novo segredo e o mostra uma vez. A partir daí, as entregas são assinadas com ele.',
  'Send a test': 'Enviar um teste',
  'A test event is being sent.': 'Um evento de teste está sendo enviado.',
  Pause: 'Pausar',
  'Paused. Events are kept until you resume.': 'Pausado. Os eventos são guardados até você retomar.',
  Resume: 'Retomar',
  'Resumed.': 'Retomado.',
  'Sends past events again. Receivers recognize them by the id of the event.':
    'Envia de novo eventos passados. O receptor os reconhece pelo id do evento.',
  'The events are being sent again.': 'Os eventos estão sendo enviados de novo.',
  'The webhook receives nothing anymore, and its deliveries are no longer listed. This cannot be undone.':
    'O webhook não recebe mais nada, e as entregas deixam de ser listadas. Isto não pode ser desfeito.',
  'Latest deliveries': 'Últimas entregas',
  'No webhooks yet': 'Nenhum webhook ainda',
  'Create one to have events sent to your own server as they happen.':
    'Crie um para que os eventos sejam enviados ao seu servidor assim que acontecem.',
  'What was sent, and what the receiver answered.': 'O que foi enviado e o que o receptor respondeu.',
  'Send again': 'Enviar de novo',
  'No attempts yet': 'Nenhuma tentativa ainda',

  // Names of members
  'API key': 'Chave de API',
  'Amounts above': 'Valores acima de',
  Actions: 'Ações',
  Active: 'Ativo',
  Activities: 'Atividades',
  'At most per day': 'No máximo por dia',
  'Available on': 'Disponível em',
  Badge: 'Medalha',
  'Begins with': 'Começa com',
  'By way of': 'Por meio de',
  Change: 'Alteração',
  'Client id': 'Id do cliente',
  'Client secret': 'Segredo do cliente',
  Code: 'Código',
  'Completed by': 'Concluído por',
  Completions: 'Cumprimentos',
  Conditions: 'Condições',
  Contact: 'Contato',
  "Contact's email": 'Email do contato',
  'Cost center': 'Centro de custo',
  Currency: 'Moeda',
  'Custom fields': 'Campos personalizados',
  "Customer's email": 'Email do cliente',
  'Duration in ms': 'Duração em ms',
  'Earned by': 'Conquistada por',
  Email: 'Email',
  'Email again, to confirm': 'Email de novo, para confirmar',
  Ends: 'Fim',
  Environment: 'Ambiente',
  Error: 'Erro',
  'Expected close': 'Fechamento previsto',
  'External id': 'Id externo',
  Failure: 'Falha',
  Filters: 'Filtros',
  'Final value': 'Valor final',
  'From points': 'A partir de pontos',
  Headers: 'Cabeçalhos',
  'Hidden from the standings': 'Oculto do ranking',
  'Hours in which an NFS-e can be canceled': 'Horas em que uma NFS-e pode ser cancelada',
  'IP addresses that may use it': 'Endereços IP que podem usar',
  'In order': 'Em ordem',
  'Invitation emails a day': 'Emails de convite por dia',
  Kind: 'Tipo',
  Label: 'Rótulo',
  'Last active': 'Última atividade',
  'Last received': 'Último recebimento',
  'Last used': 'Último uso',
  'Lead to merge into this one': 'Lead a mesclar neste',
  'Language of emails': 'Idioma dos emails',
  Leader: 'Líder',
  'Loss reason': 'Motivo da perda',
  Members: 'Membros',
  Message: 'Mensagem',
  Metric: 'Métrica',
  Mission: 'Missão',
  Name: 'Nome',
  'Name of the deal': 'Nome do negócio',
  Note: 'Observação',
  Number: 'Número',
  'On behalf of': 'Em nome de',
  'Only failed deliveries': 'Só entregas que falharam',
  Outcome: 'Resultado',
  "Owner's email": 'Email do responsável',
  'Part of team': 'Parte da equipe',
  Path: 'Caminho',
  'Payment method': 'Método de pagamento',
  Phone: 'Telefone',
  Plan: 'Plano',
  Points: 'Pontos',
  Position: 'Posição',
  Priority: 'Prioridade',
  'Probability in %': 'Probabilidade em %',
  Program: 'Programa',
  'Public key': 'Chave pública',
  'Requested by': 'Solicitado por',
  'Requests per hour': 'Requisições por hora',
  Response: 'Resposta',
  Result: 'Resultado',
  'Reward in points': 'Recompensa em pontos',
  Role: 'Papel',
  Rule: 'Regra',
  Scopes: 'Escopos',
  Season: 'Temporada',
  'Seconds to combine changes': 'Segundos para reunir alterações',
  Secret: 'Segredo',
  'Short name': 'Nome curto',
  Since: 'Desde',
  Starts: 'Início',
  State: 'Estado',
  Summary: 'Resumo',
  Tags: 'Tags',
  Target: 'Meta',
  Team: 'Equipe',
  Threshold: 'Limite',
  'Time zone': 'Fuso horário',
  Title: 'Título',
  Token: 'Token',
  User: 'Usuário',
  'Value of the deal': 'Valor do negócio',
  Variant: 'Variante',
  Voided: 'Anulada',
  What: 'O quê',
  Who: 'Quem',
  'Withdrawal token': 'Token de saque',

  // Values
  week: 'semana',
  month: 'mês',
  quarter: 'trimestre',
  year: 'ano',
} as const;
