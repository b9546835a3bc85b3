// What the CLI uses of the library for workbooks: a bundle of its own, loaded only for them.
export { read, SSF } from '@e965/xlsx';
