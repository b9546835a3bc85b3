// Employees of the demo company.

export interface Person {
  name: string;
  email: string;
  team: string;
}

/** The local part of a person's email address. */
export const mailbox = (name: string): string =>
  (name.split(' ')[0] ?? '')
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();

const person = (name: string, team: string): Person => ({
  name,
  team,
  email: `${mailbox(name)}@demo.example`,
});

export const people: readonly Person[] = [
  person('Ana Souza', 'North'),
  person('Bruno Lima', 'North'),
  person('Carla Dias', 'South'),
  person('Diego Ramos', 'South'),
  person('Elisa Prado', 'North'),
  person('Felipe Nunes', 'West'),
  person('Gabriela Rocha', 'West'),
  person('Heitor Alves', 'South'),
];
