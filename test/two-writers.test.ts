// Files of the state directory that the gateway and a command may change at the same moment.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const EACH = 40;
const WRITERS = ["a", "b"];

const CASES = [
  {
    id: "R218 no accepted server of MCP is lost",
    file: "../packages/app/src/features/mcp/client/pins.ts",
    open: "const pins = open.openPins(docs);",
    name: "mcp.json",
    change: `await pins.check(name, { command: name }, { definitions: [{ name: "tool", description: "", inputSchema: {}, annotations: {} }], instructions: "" });`,
    list: "servers",
  },
  {
    id: "SE9 no approved skill is lost",
    file: "../packages/core/src/skills/approvals.ts",
    open: "",
    name: "skills.json",
    change: `await open.writeApproval(docs, name, { hash: name, at: "2026-01-01T00:00:00.000Z", files: {} });`,
    list: "approved",
  },
  {
    id: "SO18 no setting is lost",
    file: "../packages/app/src/config/save.ts",
    open: "const places = { config: `${folder}/config.json`, docs };",
    name: "config.json",
    change:
      "await open.saveChanges([{ path: `providers.${name}.apiKey`, value: name }], { places, env: {}, t: String });",
    list: "providers",
  },
  {
    id: "SO18 nobody who was paired is lost",
    file: "../packages/app/src/host/pairing.ts",
    open: "const pairing = open.openPairing(docs, { now: () => 1 });",
    name: "channels/pairing.json",
    change: 'await pairing.accept((await pairing.offer(name, name)) ?? "");',
    list: "paired",
  },
] as const;

test.each(CASES)(
  "$id when two processes write",
  async ({ file, open, name: doc, change, list }) => {
    const folder = mkdtempSync(join(tmpdir(), "margay-writers-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, doc);
    const docs = new URL("../packages/core/src/machine/files/file-docs.ts", import.meta.url).href;
    const program = `import * as open from ${JSON.stringify(new URL(file, import.meta.url).href)};
    import { openFileDocs } from ${JSON.stringify(docs)};
    const [folder, who] = process.argv.slice(1);
    const docs = openFileDocs(folder);
    ${open}
    for (let n = 0; n < ${EACH}; n++) { const name = who + n; ${change} }`;
    const args = ["--conditions=margay-source", "--input-type=module", "--eval", program, folder];
    const ends = WRITERS.map(async (who) => {
      const child = spawn(process.execPath, [...args, who], { stdio: ["ignore", "ignore", "inherit"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      return once(child, "exit");
    });
    expect(await Promise.all(ends)).toEqual(WRITERS.map(() => [0, null]));
    const { [list]: written = {} } = JSON.parse(readFileSync(path, "utf8")) as Record<string, object>;
    const names = WRITERS.flatMap((who) => Array.from({ length: EACH }, (_, n) => `${who}${n}`));
    const found = Array.isArray(written)
      ? written.map(({ sender }: { sender: string }) => sender)
      : Object.keys(written);
    expect(found.toSorted()).toEqual(names.toSorted());
  },
  120_000,
);
