// A process that receives webhooks, so that this costs no CPU time elsewhere: counts to the number that its parent sends, and
// reports when it is reached.
import { createServer } from 'node:http';
import { listen } from '../../local/ports.ts';

let received = 0;
let wanted = 0;
const tell = () => {
  if (wanted > 0 && received >= wanted) {
    wanted = 0;
    process.send?.('received');
  }
};
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.end('ok');
    received++;
    tell();
  });
});
process.on('message', (number: number) => {
  [received, wanted] = [0, number];
});
process.on('disconnect', () => process.exit(0));
process.send?.(await listen(server));
