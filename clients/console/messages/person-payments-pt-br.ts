/** Brazilian Portuguese of the payments of people who sign in, by English text. */
export const personPaymentsPtBr = {
  // Invoices
  'Create invoice': 'Criar cobrança',
  Country: 'País',
  'Two letters, such as BR.': 'Duas letras, como BR.',
  'CPF or CNPJ': 'CPF ou CNPJ',
  'Required for an NFS-e.': 'Obrigatório para NFS-e.',
  'The customer sees it.': 'O cliente vê este texto.',
  'For Pix and boleto.': 'Para Pix e boleto.',
  'Code of the service': 'Código do serviço',
  'Issues an NFS-e once the invoice is paid. Leave empty for none.':
    'Emite uma NFS-e quando a cobrança for paga. Deixe vazio para não emitir.',
  'The invoice was created.': 'A cobrança foi criada.',
  'No invoices': 'Nenhuma cobrança',
  'Create one, or let your system create them.': 'Crie uma ou deixe seu sistema criá-las.',
  'The customer gets the money back. This cannot be undone.':
    'O cliente recebe o dinheiro de volta. Isto não pode ser desfeito.',
  'Filled in is what is left to refund.': 'Está preenchido com o que resta para estornar.',
  'The refund was requested.': 'O estorno foi solicitado.',
  'Open QR code': 'Abrir QR code',

  // Tax documents
  'Request NFS-e': 'Solicitar NFS-e',
  'The NFS-e is issued once the invoice is paid.': 'A NFS-e é emitida quando a cobrança estiver paga.',
  Street: 'Rua',
  'Building number': 'Número do endereço',
  'Address line 2': 'Complemento',
  District: 'Bairro',
  City: 'Cidade',
  'State (two letters)': 'Estado (duas letras)',
  'Postal code': 'CEP',
  'An NFS-e needs the address of the customer.': 'A NFS-e precisa do endereço do cliente.',
  'The customer gets the money back. This cannot be undone. The NFS-e keeps the whole amount: cancel it if it has to change.':
    'O cliente recebe o dinheiro de volta. Isto não pode ser desfeito. A NFS-e mantém o valor inteiro: cancele-a se ela precisar mudar.',
  'The NFS-e is issued for the whole amount, including what was refunded.':
    'A NFS-e é emitida com o valor inteiro, inclusive o que foi estornado.',
  'Does the customer withhold ISS?': 'O cliente retém o ISS?',
  'Taxes that you leave empty are those of the settings.':
    'Impostos deixados vazios são os das configurações.',
  'ISS in percent': 'ISS em porcento',
  'Withheld PIS in percent': 'PIS retido em porcento',
  'Withheld COFINS in percent': 'COFINS retida em porcento',
  'Withheld CSLL in percent': 'CSLL retida em porcento',
  'Withheld INSS in percent': 'INSS retido em porcento',
  'Withheld income tax in percent': 'Imposto de renda retido em porcento',
  'The NFS-e was requested.': 'A NFS-e foi solicitada.',
  'Cancel NFS-e': 'Cancelar NFS-e',
  'The city cancels the NFS-e. This cannot be undone.':
    'A prefeitura cancela a NFS-e. Isto não pode ser desfeito.',
  'The cancellation of the NFS-e was requested.': 'O cancelamento da NFS-e foi solicitado.',

  // Payouts
  'Request payout': 'Solicitar repasse',
  'If it needs approval, another person has to approve it before it is sent.':
    'Se precisar de aprovação, outra pessoa precisa aprovar antes do envio.',
  'Abroad: the tax number.': 'No exterior: o número fiscal.',
  'Such as +55 11 98765-4321.': 'Como +55 11 98765-4321.',
  'Receipts are sent to this address.': 'Os comprovantes são enviados a este endereço.',
  'Pay by': 'Pagar por',
  'Kind of Pix key': 'Tipo de chave Pix',
  'Pix key': 'Chave Pix',
  'Only for Pix.': 'Só para Pix.',
  'Only for Pix. Needed if the key is a CPF or a phone number.':
    'Só para Pix. Necessário se a chave for um CPF ou um telefone.',
  'random key': 'chave aleatória',
  'Due date': 'Vencimento',
  succeeded: 'concluído',
  'Only for bank transfers.': 'Só para transferência bancária.',
  IBAN: 'IBAN',
  'Account number': 'Número da conta',
  'Routing number': 'Código do banco (routing number)',
  BIC: 'BIC',
  'Without an IBAN.': 'Sem IBAN.',
  'Request again': 'Solicitar novamente',
  'The payout was requested.': 'O repasse foi solicitado.',
  'Payouts appear here once someone requests one.': 'Os repasses aparecem aqui quando alguém solicita um.',
  'This payout waits for approval.': 'Este repasse aguarda aprovação.',
  'This payout waits for approval. You requested it, so another person has to approve it.':
    'Este repasse aguarda aprovação. Você o solicitou, então outra pessoa precisa aprovar.',
  'You requested it, so another person has to approve it.':
    'Você o solicitou, então outra pessoa precisa aprovar.',
  'This payout does not need approval.': 'Este repasse não precisa de aprovação.',

  // Ledger and start page
  Month: 'Mês',
  'Open invoices': 'Cobranças em aberto',
  'All open invoices': 'Todas as cobranças em aberto',
  'All payouts': 'Todos os repasses',
  'Requested by you': 'Solicitado por você',

  // Values
  cpf: 'CPF',
  cnpj: 'CNPJ',
} as const;
