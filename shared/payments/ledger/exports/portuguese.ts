// Headers and names in Portuguese exports. Names that are not listed, such as an admin's reason, stay as they are.

/** The header of each column, in the order of the file. In English, the names of the columns are its headers. */
export const csvHeaders = {
  id: 'Id',
  created: 'Criado em',
  available_on: 'Disponível em',
  type: 'Tipo',
  reason: 'Motivo',
  amount: 'Valor',
  currency: 'Moeda',
  fee: 'Tarifa',
  net: 'Líquido',
  source_resource: 'Origem',
  source_id: 'Id da origem',
  refund_id: 'Id do estorno',
  our_number: 'Nosso número',
  cost_center: 'Centro de custo',
  contractor_reference: 'Sua referência',
  provider: 'Provedor',
  payer: 'Pagador',
  beneficiary: 'Favorecido',
};

/** Types and reasons of entries, also for the console. */
export const ledgerNames = {
  charge: 'cobrança',
  payout: 'repasse',
  fee: 'tarifa',
  adjustment: 'ajuste',
  invoice: 'cobrança',
  refund: 'estorno',
  refund_reversed: 'estorno revertido',
  chargeback: 'chargeback',
  chargeback_won: 'chargeback revertido',
  fee_correction: 'correção de tarifa',
  overpaid: 'pago a mais',
  partial_payment: 'pagamento parcial',
  returned: 'devolvido',
  balance_blocked: 'saldo bloqueado',
  balance_released: 'saldo liberado',
  provider_fee: 'tarifa do provedor',
  received_outside: 'recebido fora do Placar',
  conversion: 'conversão',
} as const;

const names: Readonly<Record<string, string>> = ledgerNames;

export const nameInPortuguese = (name: string): string => names[name] ?? name;
