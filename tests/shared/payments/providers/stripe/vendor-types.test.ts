// Every request of the adapter conforms to Stripe's types: no member that Stripe does not know, however it was added. The compiler
// itself checks excess members only in literals.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
// The TypeScript of the project has no API.
import ts from '../../../../../clients/typescript/node_modules/typescript/lib/typescript.js';

const root = fileURLToPath(new URL('../../../../..', import.meta.url));
type Type = ts.Type;

const ADAPTER = join(root, 'shared/payments/providers/stripe');
/** A request with a misspelled member that the compiler does not detect. */
const MISSPELT = join(ADAPTER, 'misspelt.ts');
const misspelt = `import type { Stripe } from 'stripe';
const more = { instruction_email: 'ana@example.com' };
export const send = (stripe: Stripe) => stripe.refunds.create({ payment_intent: 'pi_1', ...more });
`;

function compile(files: readonly string[], virtual: Record<string, string> = {}) {
  const { options } = ts.parseJsonConfigFileContent(
    {
      compilerOptions: ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config.compilerOptions,
    },
    ts.sys,
    root,
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (name) => virtual[name] ?? readFile(name);
  host.fileExists = (name) => name in virtual || fileExists(name);
  return ts.createProgram([...files], { ...options, noEmit: true, skipLibCheck: true }, host);
}

/** The requests in these files: their number, and the members that Stripe's types do not have. */
function requestsIn(program: ts.Program, files: readonly string[]) {
  const checker = program.getTypeChecker();
  const partsOf = (type: Type): Type[] => (type.isUnion() ? type.types.flatMap(partsOf) : [type]);
  const objectsOf = (type: Type) => partsOf(type).filter((part) => (part.flags & ts.TypeFlags.Object) !== 0);

  function strangers(given: Type, wanted: Type, path: string): string[] {
    const known = objectsOf(wanted);
    if (known.length === 0 || known.some((part) => part.getStringIndexType())) return [];
    return objectsOf(given).flatMap((part) => {
      const item = checker.getIndexTypeOfType(part, ts.IndexKind.Number);
      if (item)
        return known.flatMap((one) => {
          const own = checker.getIndexTypeOfType(one, ts.IndexKind.Number);
          return own ? strangers(item, own, `${path}[]`) : [];
        });
      return checker.getPropertiesOfType(part).flatMap((member) => {
        const at = `${path}.${member.name}`;
        const own = known.flatMap((one) => checker.getPropertyOfType(one, member.name) ?? []);
        return own.length === 0
          ? [at]
          : own.flatMap((one) =>
              strangers(checker.getTypeOfSymbol(member), checker.getTypeOfSymbol(one), at),
            );
      });
    });
  }

  const found = { requests: [] as string[], strangers: [] as string[] };
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node) || !/^stripe\.\w+\.[\w.]+$/.test(node.expression.getText())) return;
    const name = node.expression.getText();
    found.requests.push(name);
    const parameters = checker.getResolvedSignature(node)?.getParameters() ?? [];
    node.arguments.forEach((argument, at) => {
      const parameter = parameters[at];
      if (!parameter) return;
      const wanted = checker.getTypeOfSymbolAtLocation(parameter, node);
      found.strangers.push(...strangers(checker.getTypeAtLocation(argument), wanted, name));
    });
  };
  for (const file of files) {
    const source = program.getSourceFile(file);
    if (source) visit(source);
  }
  return found;
}

test('no request has a member that Stripe does not know', () => {
  const files = readdirSync(ADAPTER).map((name) => join(ADAPTER, name));
  const program = compile([...files, MISSPELT], { [MISSPELT]: misspelt });
  const { requests, strangers } = requestsIn(program, files);
  expect(requests.length).toBeGreaterThan(20);
  expect(strangers).toEqual([]);
  // It would be detected.
  expect(requestsIn(program, [MISSPELT]).strangers).toEqual(['stripe.refunds.create.instruction_email']);
});
