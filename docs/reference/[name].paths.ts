// A page of the API reference for each OpenAPI document.
import { openapiDocuments } from '../.vitepress/repository.ts';

export default { paths: () => openapiDocuments.map((name) => ({ params: { name } })) };
