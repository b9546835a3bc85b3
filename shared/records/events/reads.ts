// What the endpoint of events loads with the first request.
export { listEvents } from './list.ts';
