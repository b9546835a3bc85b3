// The site in Brazilian Portuguese: home page, quick starts and guides. Other reference pages are in English.
import type { DefaultTheme, LocaleSpecificConfig } from 'vitepress';
import { itemOf, reference } from './sidebar.ts';

const named = (text: string, path: string): DefaultTheme.SidebarItem => ({ ...itemOf(path), text });

const sidebar: DefaultTheme.SidebarItem[] = [
  { text: 'Começar', items: [named('Visão geral', 'docs/pt/index.md'), itemOf('docs/pt/quick-starts.md')] },
  {
    text: 'Guias',
    items: [
      'docs/pt/guides/import-leads.md',
      'docs/pt/guides/connect-rd-station.md',
      'docs/pt/guides/connect-pipedrive.md',
      'docs/pt/guides/connect-hubspot.md',
      'docs/pt/two-way-sync.md',
      'docs/pt/guides/leaderboard.md',
      'docs/pt/guides/bill-customers.md',
      'docs/pt/guides/issue-nfse.md',
      'docs/pt/guides/pay-out.md',
      'docs/pt/guides/refund.md',
      'docs/pt/guides/export-the-ledger.md',
      'docs/pt/guides/debug-a-request.md',
      'docs/pt/no-code.md',
      'docs/pt/guides/n8n.md',
    ].map(itemOf),
  },
  {
    text: 'Administração e acesso',
    items: [
      named('O console', 'docs/pt/console.md'),
      named('Hospedar o console', 'docs/pt/hosting-the-console.md'),
      named('Autenticação', 'docs/pt/authentication.md'),
      ...['docs/pt/points.md', 'docs/pt/badges-and-challenges.md', 'docs/pt/personal-data.md'].map(itemOf),
    ],
  },
  {
    text: 'Referência (em inglês)',
    items: [
      named('Atividades', 'docs/activity-sync.md'),
      named('Pagamentos', 'docs/payments.md'),
      named('Registros', 'docs/records.md'),
      named('Sincronizar registros', 'docs/records-sync.md'),
      named('Conectores de CRM', 'docs/connectors.md'),
      named('Webhooks', 'docs/webhooks.md'),
      named('Cliente TypeScript', 'clients/typescript/README.md'),
      named('Cliente Python', 'clients/python/README.md'),
      named('Linha de comando', 'docs/command-line.md'),
      named('Administração', 'docs/administration.md'),
      named('Produção', 'docs/production.md'),
      { text: 'API', collapsed: true, items: reference },
    ],
  },
];

export const portuguese: LocaleSpecificConfig<DefaultTheme.Config> & { label: string; link: string } = {
  label: 'Português',
  lang: 'pt-BR',
  link: '/pt/',
  description: 'A API de integração para um workspace de vendas gamificado, no seu próprio Supabase',
  themeConfig: {
    nav: [
      { text: 'Início rápido', link: '/pt/quick-starts' },
      { text: 'Guias', link: '/pt/guides/import-leads', activeMatch: '^/pt/guides/' },
      { text: 'API', items: [{ text: 'Todas as operações', link: '/openapi/' }, ...reference] },
    ],
    sidebar,
    outline: { level: [2, 3], label: 'Nesta página' },
    docFooter: { prev: 'Anterior', next: 'Próxima' },
    footer: { message: 'Licença MIT' },
    langMenuLabel: 'Mudar idioma',
    sidebarMenuLabel: 'Menu',
    returnToTopLabel: 'Voltar ao topo',
    darkModeSwitchLabel: 'Aparência',
    lightModeSwitchTitle: 'Mudar para o tema claro',
    darkModeSwitchTitle: 'Mudar para o tema escuro',
    skipToContentLabel: 'Ir para o conteúdo',
    notFound: {
      title: 'PÁGINA NÃO ENCONTRADA',
      quote: 'Esta página não existe ou mudou de endereço.',
      linkLabel: 'Ir para a página inicial',
      linkText: 'Ir para o início',
    },
  },
};

export const searchInPortuguese: Partial<Omit<DefaultTheme.LocalSearchOptions, 'locales'>> = {
  translations: {
    button: { buttonText: 'Buscar', buttonAriaLabel: 'Buscar' },
    modal: {
      displayDetails: 'Mostrar detalhes',
      resetButtonTitle: 'Limpar a busca',
      backButtonTitle: 'Fechar a busca',
      noResultsText: 'Nenhum resultado para',
      footer: {
        selectText: 'para abrir',
        selectKeyAriaLabel: 'Enter',
        navigateText: 'para navegar',
        navigateUpKeyAriaLabel: 'Seta para cima',
        navigateDownKeyAriaLabel: 'Seta para baixo',
        closeText: 'para fechar',
        closeKeyAriaLabel: 'Esc',
      },
    },
  },
};
