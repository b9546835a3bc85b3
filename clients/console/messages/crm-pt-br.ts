/** Brazilian Portuguese of the pages about CRMs, by English text. */
export const crmPtBr = {
  // Accounts
  CRM: 'CRM',
  'Leads, deals and activities from your CRM.': 'Leads, negócios e atividades do seu CRM.',
  'Open differences': 'Diferenças em aberto',
  '{count} open difference': '{count} diferença em aberto',
  '{count} open differences': '{count} diferenças em aberto',
  'Connect your CRM': 'Conecte o seu CRM',
  'No CRM is connected': 'Nenhum CRM conectado',
  'Connect your CRM. You need credentials of an administrator there.':
    'Conecte o seu CRM. É preciso ter credenciais de um administrador lá.',
  'Preview import': 'Prévia da importação',
  Import: 'Importar',
  'Reads all records of the CRM. New leads and deals are created, and those that are here are updated. No webhooks, points, automations or emails are sent for them. Preview it first.':
    'Lê todos os registros do CRM. Leads e negócios novos são criados, e os que já estão aqui são atualizados. Não gera webhooks, pontos, automações nem emails. Veja a prévia antes.',
  'Read changes now': 'Ler alterações agora',
  'Look for deletions': 'Procurar exclusões',
  'The run has begun.': 'A execução começou.',
  Authorize: 'Autorizar',
  'Creates a link that works once within ten minutes. An administrator of the CRM opens it and agrees.':
    'Cria um link que funciona uma vez, em até dez minutos. Um administrador do CRM abre o link e concorda.',
  'Open it within ten minutes, signed in to the CRM as an administrator.':
    'Abra em até dez minutos, com a sessão de um administrador do CRM.',
  'Open the link': 'Abrir o link',
  'The account is paused.': 'A conta está pausada.',
  'The account is disconnected.': 'A conta está desconectada.',
  'Nothing more is read or written, the webhooks are removed and the credentials are deleted. Leads, deals and settings stay. Connecting again continues where it stopped.':
    'Nada mais é lido nem escrito, os webhooks são removidos e as credenciais são excluídas. Leads, negócios e configurações ficam. Ao conectar de novo, continua de onde parou.',
  'Nothing more is read or written, and the credentials are deleted. Remove the webhooks from your app yourself. Leads, deals and settings stay. Connecting again continues where it stopped.':
    'Nada mais é lido nem escrito, e as credenciais são excluídas. Remova você mesmo os webhooks do seu app. Leads, negócios e configurações ficam. Ao conectar de novo, continua de onde parou.',
  'Connect again': 'Conectar de novo',
  'Forget account': 'Esquecer a conta',
  'Deletes the links between records here and in the CRM, and the differences. Leads and deals stay. This cannot be undone.':
    'Exclui as ligações entre os registros daqui e do CRM, e as diferenças. Leads e negócios ficam. Não pode ser desfeito.',
  'The account was deleted.': 'A conta foi excluída.',
  // State
  'The CRM rejects the credentials.': 'O CRM recusa as credenciais.',
  'An administrator of the CRM still has to agree. Use Authorize to create the link.':
    'Um administrador do CRM ainda precisa concordar. Use Autorizar para criar o link.',
  'The credentials are being checked, and users and stages are read.':
    'As credenciais estão sendo verificadas, e os usuários e as etapas estão sendo lidos.',
  'Nothing is read or written. What the CRM reports meanwhile is kept for 30 days.':
    'Nada é lido nem escrito. O que o CRM avisar nesse tempo fica guardado por 30 dias.',
  'Connect again to continue, or forget the account.': 'Conecte de novo para continuar, ou esqueça a conta.',
  'Correct it in the CRM, or replace the credentials. It is tried again every minute.':
    'Corrija no CRM, ou troque as credenciais. Uma nova tentativa é feita a cada minuto.',
  'The CRM allows no more requests at the moment. It goes on by itself.':
    'O CRM não aceita mais requisições no momento. Continua sozinho depois.',
  '{count} stage of the CRM is not mapped: its deals get the first stage. Map it.':
    '{count} etapa do CRM não está associada: os negócios dela recebem a primeira etapa. Associe a etapa.',
  '{count} stages of the CRM are not mapped: their deals get the first stage. Map them.':
    '{count} etapas do CRM não estão associadas: os negócios delas recebem a primeira etapa. Associe as etapas.',
  'Nothing is imported yet. Preview the import, then import.':
    'Nada foi importado ainda. Veja a prévia e depois importe.',
  Imported: 'Importado',
  'Waiting until': 'Aguardando até',
  'Last read': 'Última leitura',
  // Mappings
  'Map stages': 'Associar etapas',
  'Without a choice, a stage of the CRM is the stage here with the same name. If there is none, its deals get the first stage and are listed as differences.':
    'Sem escolha, uma etapa do CRM corresponde à etapa daqui com o mesmo nome. Se não houver, os negócios recebem a primeira etapa e aparecem nas diferenças.',
  'Same name: {name}': 'Mesmo nome: {name}',
  'Not mapped': 'Não associada',
  'In the CRM': 'No CRM',
  Pipeline: 'Funil',
  Pipelines: 'Funis',
  'Stage here': 'Etapa aqui',
  none: 'nenhuma',
  'Map activities': 'Associar atividades',
  'Activities that are done in the CRM count for the mission of their code. Types without a code are not read. Codes are created under Gamification, Activity codes.':
    'Atividades concluídas no CRM contam para a missão do código. Tipos sem código não são lidos. Códigos são criados em Gamificação, Códigos de atividade.',
  'Types of activity': 'Tipos de atividade',
  'Other types': 'Outros tipos',
  'Types of your CRM that are not listed, by their key there.':
    'Tipos do seu CRM que não estão na lista, pela chave deles lá.',
  'No types of activity yet': 'Nenhum tipo de atividade ainda',
  'Not read': 'Não é lido',
  // Settings
  'Changes go': 'As alterações vão',
  'From the CRM to Placar': 'Do CRM para o Placar',
  'In both directions': 'Nos dois sentidos',
  'If both sides changed a field': 'Se os dois lados alteraram um campo',
  'The value of the CRM': 'Vale o do CRM',
  'The value here': 'Vale o daqui',
  'The later value': 'Vale o mais recente',
  'If a record is deleted in the CRM': 'Se um registro for excluído no CRM',
  'Keep it here': 'Manter aqui',
  'Delete it here': 'Excluir aqui',
  'What is read': 'O que é lido',
  'Create new leads and deals in the CRM too': 'Criar leads e negócios novos também no CRM',
  'Only if changes go in both directions.': 'Só se as alterações vão nos dois sentidos.',
  'None selected: all pipelines.': 'Nenhum marcado: todos os funis.',
  Fields: 'Campos',
  'Field here': 'Campo aqui',
  'Field in the CRM': 'Campo no CRM',
  Record: 'Registro',
  'Field here: phone, position, source, company, or the name of a custom field. Field in the CRM: its key there.':
    'Campo aqui: phone, position, source, company ou o nome de um campo personalizado. Campo no CRM: a chave dele lá.',
  'After a change of fields, pipelines or what is read, import again: it reads the records that were there before.':
    'Depois de alterar campos, funis ou o que é lido, importe de novo: isso lê os registros que já existiam.',
  // Connecting
  'Connect Pipedrive': 'Conectar o Pipedrive',
  'Use the API token of a user of Pipedrive who sees all deals and stays in the company. It is stored encrypted and cannot be read afterwards. Connecting imports nothing.':
    'Use o token de API de um usuário do Pipedrive que vê todos os negócios e vai permanecer na empresa. Ele fica cifrado e não pode ser lido depois. Ao conectar, nenhum registro é importado ainda.',
  'Company domain': 'Domínio da empresa',
  'Only the part of the address before .pipedrive.com, such as acme.':
    'Só a parte do endereço antes de .pipedrive.com, como acme.',
  'API token': 'Token de API',
  'In Pipedrive: Personal preferences, API. It has 40 characters: digits, and letters from a to f.':
    'No Pipedrive: Preferências pessoais, API. Tem 40 caracteres: dígitos e letras de a até f.',
  'Connect HubSpot': 'Conectar o HubSpot',
  'Use the access token and the client secret of a project app, or only a service key. With a service key, changes are read every minute. They are stored encrypted and cannot be read afterwards. Connecting imports nothing.':
    'Use o token de acesso e o segredo do cliente de um app de projeto, ou só uma chave de serviço. Com uma chave de serviço, as alterações são lidas a cada minuto. Ficam cifrados e não podem ser lidos depois. Ao conectar, nenhum registro é importado ainda.',
  'Access token': 'Token de acesso',
  'Service key': 'Chave de serviço',
  'Replace credentials': 'Trocar credenciais',
  'Instead of the other two.': 'No lugar dos outros dois.',
  'So that changes arrive at once, save this file in the project of your app as src/app/webhooks/webhooks-hsmeta.json, and run hs project upload. It works once Last event has a time. Do it again after a change of fields.':
    'Para que as alterações cheguem na hora, salve este arquivo no projeto do seu app como src/app/webhooks/webhooks-hsmeta.json e execute hs project upload. Funciona quando Último evento tem um horário. Faça de novo depois de alterar campos.',
  Authorization: 'Autorização',
  'Callback URL': 'URL de callback',
  'In the Publisher of RD Station, enter this address as the callback URL of your app. Then use Authorize.':
    'No Publisher da RD Station, informe este endereço como URL de callback do seu app. Depois use Autorizar.',
  'Connect RD Station CRM': 'Conectar o RD Station CRM',
  'Use the client id and the client secret of your app at RD Station. Afterwards, authorize the account with a link. They are stored encrypted and cannot be read afterwards. Connecting imports nothing.':
    'Use o client id e o segredo do cliente do seu app no RD Station. Depois, autorize a conta com um link. Ficam cifrados e não podem ser lidos depois. Ao conectar, nenhum registro é importado ainda.',
  // Runs
  Runs: 'Execuções',
  'Previews, imports and comparisons.': 'Prévias, importações e comparações.',
  'Records read': 'Registros lidos',
  New: 'Novos',
  'Updated records': 'Registros atualizados',
  'Already here': 'Já estão aqui',
  Skipped: 'Ignorados',
  Started: 'Início',
  'CRM account': 'Conta do CRM',
  'Cancel run': 'Cancelar a execução',
  'The run was canceled.': 'A execução foi cancelada.',
  Progress: 'Andamento',
  'Now reads': 'Lendo agora',
  'Would be created': 'Seriam criados',
  'Created records': 'Criados',
  'Would be updated': 'Seriam atualizados',
  Unchanged: 'Sem alteração',
  'Would be skipped': 'Seriam ignorados',
  'Failed records': 'Com falha',
  'What an import would do': 'O que uma importação faria',
  'Nothing has been changed.': 'Nada foi alterado.',
  'Now and then': 'Agora e depois',
  'Id in the CRM': 'Id no CRM',
  'No records': 'Nenhum registro',
  // Differences
  Differences: 'Diferenças',
  'Where Placar and the CRM differ. Invite unknown owners as users, map stages, and correct the other values in the CRM. Differences without buttons then resolve themselves when changes are read.':
    'Onde o Placar e o CRM divergem. Convide os responsáveis desconhecidos como usuários, associe as etapas e corrija os outros valores no CRM. As diferenças sem botões se resolvem sozinhas na próxima leitura de alterações.',
  Resolved: 'Resolvida',
  Field: 'Campo',
  Here: 'Aqui',
  Found: 'Encontrada',
  'Record here': 'Registro aqui',
  'Take ours': 'Usar o daqui',
  'Take theirs': 'Usar o do CRM',
  'Delete here': 'Excluir aqui',
  'The record was deleted in the CRM. It is deleted here too. This cannot be undone.':
    'O registro foi excluído no CRM. Ele é excluído aqui também. Não pode ser desfeito.',
  'No differences': 'Nenhuma diferença',
  'Changes go from the CRM to Placar only. Take ours writes the value here into the CRM, Take theirs writes the value of the CRM here.':
    'As alterações vão só do CRM para o Placar. Usar o daqui grava o valor daqui no CRM, Usar o do CRM grava o valor do CRM aqui.',
  'The CRM refused the value here. Change it here, or take theirs.':
    'O CRM recusou o valor daqui. Altere aqui, ou use o do CRM.',
  'Take ours keeps the record here, Delete here deletes it.':
    'Usar o daqui mantém o registro aqui, Excluir aqui o exclui.',
  'Enter an email address in the CRM: it identifies the lead.':
    'Informe um e-mail no CRM: é ele que identifica o lead.',
  'Another contact has this address. Merge the two in the CRM, or change one of them.':
    'Outro contato tem este e-mail. Junte os dois no CRM, ou altere um deles.',
  'Invite the owner as a user, with this address, under Records, Users.':
    'Convide o responsável como usuário, com este e-mail, em Registros, Usuários.',
  'Map the stage on the page of the account.': 'Associe a etapa na página da conta.',
  'Correct the value in the CRM.': 'Corrija o valor no CRM.',
  'The record could not be read. It is tried again each hour.':
    'O registro não pôde ser lido. Uma nova tentativa é feita a cada hora.',
  // Names in the data
  preview: 'prévia',
  import: 'importação',
  reconcile: 'leitura de alterações',
  compare: 'comparação',
  queued: 'na fila',
  done: 'concluído',
  create: 'criar',
  update: 'atualizar',
  link: 'já está aqui',
  skip: 'ignorar',
  authorizing: 'aguardando autorização',
  connecting: 'conectando',
  disconnected: 'desconectado',
  'by hand': 'feitos por você',
  polling: 'lido a cada minuto',
  deadline: 'prazo',
  lunch: 'almoço',
  visit: 'visita',
  calls: 'ligações',
  meetings: 'reuniões',
  tasks: 'tarefas',
  whatsapp: 'WhatsApp',
  lead: 'lead',
  deal: 'negócio',
  activity: 'atividade',
  leads: 'leads',
  checks: 'o que difere',
  deals: 'negócios',
  activities: 'atividades',
  'changed here': 'alterado aqui',
  'refused there': 'recusado no CRM',
  'deleted there': 'excluído no CRM',
  'missing email': 'sem e-mail',
  'unknown owner': 'responsável desconhecido',
  'unmapped stage': 'etapa sem correspondência',
  'invalid value': 'valor inválido',
  'read failed': 'falha na leitura',
};
