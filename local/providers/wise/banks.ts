/** A selection of banks for the forms. */

export const BRAZILIAN_BANKS = [
  ['001', 'Banco do Brasil'],
  ['033', 'Santander'],
  ['104', 'Caixa'],
  ['218', 'BS2'],
  ['237', 'Bradesco'],
  ['260', 'Nubank'],
  ['341', 'Itau'],
] as const;

/** Banks with their branches. */
export const JAPANESE_BANKS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  '0001': [
    ['001', 'Tokyo Eigyobu'],
    ['004', 'Marunouchi'],
  ],
  '0005': [
    ['001', 'Honten'],
    ['084', 'Ginza'],
  ],
};
