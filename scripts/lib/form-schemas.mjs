// `import HookBody from "virtual:form/hooks/schema.ts#HookBody"`: the wire shape of a feature as JSON Schema, made when the pages
// are built, so that a form is drawn from what its route takes and no page carries the library that checks it.
import { join } from "node:path";

const ASKED = "virtual:form/";
const CONDITIONS = ["margay-source", "node"];

/** @param features The folder of all features. */
export function formSchemas(features) {
  const modules = new Map();
  return {
    name: "form-schemas",
    enforce: "pre",
    resolveId: (source) => (source.startsWith(ASKED) ? `\0${source}` : undefined),
    async load(id) {
      if (!id.startsWith(`\0${ASKED}`)) return undefined;
      const [path, name] = id.slice(ASKED.length + 1).split("#");
      const file = join(features, path);
      if (!modules.has(file)) modules.set(file, modulesOf(file));
      const schema = (await modules.get(file))[name];
      if (schema === undefined) throw new Error(`${file} exports no ${name}, which a form asks for.`);
      const { z } = await import("zod");
      // A form fills in what the route takes; what it cannot draw is edited as JSON.
      return `export default ${JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }))};`;
    },
  };
}

async function modulesOf(file) {
  const { runnerImport } = await import("vite");
  const found = await runnerImport(file, {
    configFile: false,
    logLevel: "warn",
    ssr: { resolve: { conditions: CONDITIONS, externalConditions: CONDITIONS } },
  });
  return found.module;
}
