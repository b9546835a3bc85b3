/** Brazilian Portuguese of the pages for people who sign in, by English text. */
export const signInPtBr = {
  'Sign in': 'Entrar',
  'Around you': 'Perto de você',
  'What earns points': 'O que dá pontos',
  'Sign out': 'Sair',
  'Sign out everywhere': 'Sair em todos os lugares',
  'Signed in as {email}.': 'Conectado como {email}.',
  'Switch workspace': 'Trocar de workspace',
  Password: 'Senha',
  'Without a password': 'Sem senha',
  'Send me a sign-in code': 'Enviar um código de acesso',
  'Sign in with {name}': 'Entrar com {name}',
  'Continue with SSO': 'Continuar com SSO',
  'Domain of your company': 'Domínio da sua empresa',
  'Check your email': 'Verifique seu e-mail',
  'If {email} has an account, an email is on its way. Open its link in this browser, or enter its code here.':
    'Se {email} tiver uma conta, um e-mail está a caminho. Abra o link neste navegador ou digite o código aqui.',
  'Sign in another way': 'Entrar de outra forma',
  'Continue at {name}': 'Continuar em {name}',
  'Accept the invitation': 'Aceitar o convite',
  'Recover your account': 'Recuperar sua conta',
  'Continue to sign in with this link. It works once.':
    'Continue para entrar com este link. Ele funciona uma vez.',
  Continue: 'Continuar',
  'Choose a password': 'Escolha uma senha',
  'New password': 'Nova senha',
  'Save password': 'Salvar senha',
  Skip: 'Pular',
  'Top {count}': 'Os {count} primeiros',
  Today: 'Hoje',
  'This week': 'Esta semana',
  'This month': 'Este mês',
  'This quarter': 'Este trimestre',
  'This year': 'Este ano',
  'Second factor': 'Segundo fator',
  'Scan this code with an authenticator app, or enter the key. Then enter the code that it shows.':
    'Leia este código com um aplicativo autenticador ou digite a chave. Depois digite o código que ele mostra.',
  'QR code for an authenticator app': 'QR code para um aplicativo autenticador',
  'Enter the code that your authenticator app shows.':
    'Digite o código que seu aplicativo autenticador mostra.',
  'This workspace requires a second factor. Set up an authenticator app.':
    'Este workspace exige um segundo fator. Configure um aplicativo autenticador.',
  'Set up': 'Configurar',
  'Choose a workspace': 'Escolha um workspace',
  'You cannot choose this workspace.': 'Você não pode escolher este workspace.',
  'No workspace': 'Nenhum workspace',
  'Nobody has given this account access to a workspace yet. Ask an admin of your workspace.':
    'Ninguém deu acesso a um workspace a esta conta ainda. Fale com um administrador do seu workspace.',
  'Sign-in failed': 'Não foi possível entrar',
  'Go to sign-in': 'Ir para o login',
  'This did not work. Check what you entered and try again.':
    'Não funcionou. Confira o que você digitou e tente de novo.',
  'Too many attempts. Try again in {count} second.': 'Tentativas demais. Tente de novo em {count} segundo.',
  'Too many attempts. Try again in {count} seconds.': 'Tentativas demais. Tente de novo em {count} segundos.',
  'The CAPTCHA protection of Supabase Auth is on, which this page does not support. Tell the operator.':
    'A proteção por CAPTCHA do Supabase Auth está ligada, e esta página não a suporta. Avise o operador.',
  'This domain does not have SSO.': 'Este domínio não tem SSO.',
  'This link belongs to another browser, has been used or has expired. Begin again here.':
    'Este link é de outro navegador, já foi usado ou expirou. Comece de novo aqui.',
  'The link or the provider did not sign you in. Try again.':
    'O link ou o provedor não concluiu a entrada. Tente de novo.',
  'This link has been used or has expired. Ask for a new one.':
    'Este link já foi usado ou expirou. Peça um novo.',
  'You are signed out.': 'Você saiu.',
  'Your session has ended. Sign in again.': 'Sua sessão terminou. Entre de novo.',
  'Your access has ended or has changed. Sign in again.': 'Seu acesso terminou ou mudou. Entre de novo.',
  'Your access does not open this page': 'Seu acesso não abre esta página',
  'Ask an admin of the workspace for access with this scope:':
    'Peça a um administrador do workspace um acesso com este escopo:',

  // What people see of themselves
  Me: 'Eu',
  'My points': 'Meus pontos',
  Entries: 'Lançamentos',
  'Tier {name}': 'Nível {name}',
  'No tier yet': 'Ainda sem nível',
  'You are hidden in the standings': 'Você está oculto no ranking',
  'No rank yet': 'Ainda sem posição',
  'Rank {position}': 'Posição {position}',
  'Progress to {name}': 'Progresso até {name}',
  '{points} more points to {name}': 'Faltam {points} pontos para {name}',
  'Points appear here once you earn them.': 'Os pontos aparecem aqui quando você os ganha.',
  'My badges': 'Minhas medalhas',
  'Badges that you have earned, and how far the others are.':
    'Medalhas que você ganhou, e quanto falta para as outras.',
  'Earned on {day}': 'Conquistada em {day}',
  'My challenges': 'Meus desafios',
  'Challenges that you take part in.': 'Desafios de que você participa.',
  '{points} points': '{points} pontos',
  'My missions': 'Minhas missões',
  'What earns you points now.': 'O que vale pontos para você agora.',
  'done {count} time': 'feita {count} vez',
  'done {count} times': 'feita {count} vezes',
  'Each time': 'A cada vez',
  'At most {max} points a day': 'No máximo {max} pontos por dia',
  'My leads': 'Meus leads',
  'Leads that you own.': 'Leads que são seus.',
  'Leads appear here once you own them.': 'Os leads aparecem aqui quando são seus.',
  'My deals': 'Meus negócios',
  'Deals that you own.': 'Negócios que são seus.',
  'Deals appear here once you own them.': 'Os negócios aparecem aqui quando são seus.',
  Profile: 'Perfil',
  'What others see of you, and what you can change.':
    'O que os outros veem de você e o que você pode alterar.',
  'Change profile': 'Alterar perfil',
  'The https address of a picture.': 'O endereço https de uma imagem.',
  'Hide me in the standings': 'Ocultar-me no ranking',
  'You keep earning points. Others do not see your name, points and rank.':
    'Você continua ganhando pontos. Os outros não veem seu nome, seus pontos e sua posição.',
  'Change password': 'Alterar senha',
  'Your access': 'Seu acesso',
  'see the standings': 'ver o ranking',
  'see and change your own data': 'ver e alterar seus próprios dados',

  // Access of people, and boards
  People: 'Pessoas com acesso',
  'What the users of this workspace may do after they sign in.':
    'O que os usuários deste workspace podem fazer depois de entrar.',
  'Can sign in': 'Pode entrar',
  'This user has no account yet. Access applies from the first sign-in on.':
    'Este usuário ainda não tem conta. O acesso vale a partir da primeira entrada.',
  'Give access': 'Dar acesso',
  'Choose scopes': 'Escolher escopos',
  'Replaces what the user may do, with immediate effect. You can only give and take what you may do yourself.':
    'Substitui o que o usuário pode fazer, com efeito imediato. Você só pode dar e tirar o que você mesmo pode fazer.',
  'Everyone sees the standings and their own points, whatever you choose.':
    'Todos veem o ranking e os próprios pontos, seja qual for a escolha.',
  Boards: 'Painéis',
  'Standings on a screen, for everyone who has the address.':
    'Ranking em uma tela, para todos que têm o endereço.',
  'Create board': 'Criar painel',
  'Shows names and points to everyone who has the address. People who are hidden in the standings are not on it.':
    'Mostra nomes e pontos a todos que têm o endereço. Quem está oculto no ranking não aparece.',
  'Without a team, all players.': 'Sem equipe, todos os jogadores.',
  'Only without a season. Without both, the current month.':
    'Só sem temporada. Sem as duas coisas, o mês atual.',
  'The address stops working immediately. This cannot be undone.':
    'O endereço deixa de funcionar imediatamente. Isto não pode ser desfeito.',
  'No boards yet': 'Ainda não há painéis',
  'Create one for each screen.': 'Crie um para cada tela.',
  'Open it on the screen that shows the board.': 'Abra na tela que mostra o painel.',
  Address: 'Endereço',

  // Standings on a screen
  'This board does not exist or has ended.': 'Este painel não existe ou terminou.',
  'The standings are unreachable at the moment.': 'O ranking está inacessível no momento.',
  'The standings are unreachable. Last updated {time}.':
    'O ranking está inacessível. Última atualização: {time}.',

  // Settings
  'Change sign-in': 'Alterar login',
  'People may sign in': 'As pessoas podem entrar',
  'A second factor is required': 'Um segundo fator é obrigatório',
  'Applies to everyone in this workspace, with immediate effect. The second factor is a code from an authenticator app. Everyone sets it up at the next sign-in, you too.':
    'Vale para todos deste workspace, com efeito imediato. O segundo fator é um código de um aplicativo autenticador. Cada pessoa o configura no próximo acesso, você também.',

  // Values
  'own choice': 'escolha própria',
  completed: 'concluído',
  'Seller: their own points, leads and deals, and the standings. Manager: what a seller has, all leads and deals, seeing payments and requesting payouts. Finance: what a seller has, invoices, refunds and payouts with their approval. Admin: everything.':
    'Vendas: os próprios pontos, leads e negócios, e o ranking. Gerente: o que vendas tem, todos os leads e negócios, ver pagamentos e solicitar repasses. Financeiro: o que vendas tem, cobranças, estornos e repasses com sua aprovação. Administrador: tudo.',
  seller: 'vendas',
  finance: 'financeiro',
};
