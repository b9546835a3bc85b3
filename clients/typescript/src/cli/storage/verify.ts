// Compares the files of a bucket with the rows that refer to them: each issued tax document has an XML and a PDF. Boletos are generated when
// they are first opened, so their files may be missing.
import type postgres from 'postgres';
import { BUCKET } from './project-bucket.ts';

export interface VerifyCounts {
  /** Files in the bucket, and files that issued tax documents must have. */
  files: number;
  required: number;
  /** Required files that are missing or empty. */
  missing: string[];
  /** Files that no row refers to. */
  unnamed: string[];
}

/** At most this many names of each kind are returned. */
const MAX_NAMES = 1000;

export async function verifyFiles(sql: postgres.Sql, prefix: string): Promise<VerifyCounts> {
  const [counts] = await sql<VerifyCounts[]>`
    with files as materialized (
      select name, coalesce((metadata ->> 'size')::double precision, 0) as size
      from storage.objects where bucket_id = ${BUCKET} and starts_with(name, ${prefix})
    ), required as materialized (
      select d.tenant_id || '/' || d.id || '/nfse.' || extension as name
      from public.tax_documents d, unnest(array['xml', 'pdf']) as extension
      where d.issued_at is not null and starts_with(d.tenant_id || '/', ${prefix})
    ), missing as (
      select r.name from required r where not exists (select from files f where f.name = r.name and f.size > 0)
      order by r.name limit ${MAX_NAMES}
    ), unnamed as (
      select f.name from files f
      where not exists (select from required r where r.name = f.name)
        and not exists (
          select from public.invoices i
          where i.artifact -> 'boleto' is not null and f.name = i.tenant_id || '/' || i.id || '/boleto.pdf'
            and i.tenant_id::text = split_part(f.name, '/', 1) and i.id = split_part(f.name, '/', 2))
      order by f.name limit ${MAX_NAMES}
    )
    select (select count(*)::double precision from files) as files, (select count(*)::double precision from required) as required,
           array(select name from missing) as missing, array(select name from unnamed) as unnamed`;
  return counts ?? { files: 0, required: 0, missing: [], unnamed: [] };
}
