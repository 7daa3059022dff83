// What some code blocks need around them (`with="vendor"` in the fence): a platform on this machine in place of the real one, and a
// home in which what the block is about has happened. Each says which words of the block stand for what is there.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import type { JsonObject } from "@margay/core";
import { deskConfig, installDesk, startDesk, type Desk } from "../channels/desk.ts";
import { oauthServers } from "../mcp/oauth-server.ts";
import { ROOT } from "./pages.ts";

export interface Place {
  readonly home: string;
  readonly project: string;
  /** Address of the model. */
  readonly model: string;
  /** As somebody types it, in this home. @returns what was printed. */
  margay(...args: readonly string[]): Promise<string>;
  /** The gateway of this home runs until the page is over. */
  gateway(): Promise<void>;
}

export interface Scene {
  readonly config?: JsonObject;
  readonly environment?: Readonly<Record<string, string>>;
  /** Happens before the first block, in the home that is there then. @returns words beside `words`. */
  before?(): Promise<Words>;
  readonly words?: Words;
  end?(): Promise<void>;
}

/** What a person types as their key. None that `npm test` plants: it stands in the script of the page, and where keys are kept. */
const TYPED_KEY = "test-key-of-a-page";

/** In this order, the first occurrence of each that is left. */
export type Words = readonly (readonly [string, string])[];

export const SCENES: Readonly<Record<string, (place: Place) => Promise<Scene> | Scene>> = {
  /** Its address is the model's here, from that block on. */
  vendor: ({ model }) => {
    const words = (id: string, variable: string, baseUrl: string, name: string): Words => {
      const address = `margay config set providers.${id}.baseUrl ${baseUrl}\n`;
      const typed = `margay config set providers.${id}.apiKey -`;
      return [
        [`export ${variable}=…`, `${address}export ${variable}=${TYPED_KEY}`],
        [`${id}/${name}`, `${id}/mock-model`],
        [typed, `${address}printf ${TYPED_KEY} | ${typed}`],
      ];
    };
    return {
      words: [
        ...words("anthropic", "ANTHROPIC_API_KEY", model, "MODEL"),
        ...words("deepseek", "DEEPSEEK_API_KEY", `${model}/v1`, "模型名"),
      ],
    };
  },
  /** A folder of the reader's own. */
  skill: ({ project }) => {
    mkdirSync(join(project, "my-skill"));
    const text = "---\nname: my-skill\ndescription: Counts the otters of a folder.\n---\n\nCount them.\n";
    writeFileSync(join(project, "my-skill/SKILL.md"), text);
    return {};
  },
  /** The programs that npx would fetch, and a server elsewhere that wants a sign-in. */
  servers: async ({ home }) => {
    const notes = join(home, "../notes");
    mkdirSync(notes);
    chmodSync(notes, 0o777); // root confines programs under another account
    const program = (name: string): string =>
      `"${process.execPath}" "${join(ROOT, "node_modules/@modelcontextprotocol", name, "dist/index.js")}"`;
    const { url, authority } = await oauthServers();
    return {
      config: { tools: { webFetch: { allowHosts: [authority] } } },
      words: [
        ["npx -y @modelcontextprotocol/server-filesystem", program("server-filesystem")],
        ["npx -y some-list-server", program("server-everything")],
        ["https://mcp.example.com/mcp", url],
      ],
    };
  },
  registry: async () => registry("channel-telegram", "channel-email"),
  telegram: async () => {
    const { startTelegram } = await ofPlugin<"startTelegram", Bot>("channel-telegram/test/emulator/telegram.ts");
    const telegram = await startTelegram();
    return {
      config: { channels: { telegram: { baseUrl: telegram.url } } },
      words: [["TOKEN", telegram.token]],
      end: () => telegram[Symbol.asyncDispose]() as Promise<void>,
    };
  },
  mail: async () => {
    const { startMailServer } = await ofPlugin<"startMailServer", MailServer>("channel-email/test/peer.ts");
    const server = await startMailServer();
    const { host, imapPort, smtpPort } = server;
    const options = { imapPort, smtpPort, imapSecurity: "none", smtpSecurity: "none", from: `bot@${server.domain}` };
    return {
      config: { channels: { email: { options } } },
      words: [
        ["me@example.org", "bot"],
        ["imap.example.org", host],
        ["smtp.example.org", host],
        ["PASSWORD", server.password],
      ],
      end: () => server[Symbol.asyncDispose]() as Promise<void>,
    };
  },
  feishu: async () => {
    const { startFeishu } = await ofPlugin<"startFeishu", Feishu>("channel-feishu/test/emulator/feishu.ts");
    const feishu = await startFeishu();
    const { registration, url } = feishu;
    registration.seconds = { expires: 600, interval: 1 };
    // Somebody with a phone, who agrees to each code as it is shown.
    const scans = async (code: number): Promise<void> => {
      await feishu.until(() => registration.made >= code);
      registration.scan(`${url}/page/launcher?from=sdk&tp=sdk&user_code=CODE-${code}`, "agree");
      await scans(code + 1);
    };
    void scans(1);
    return {
      config: { channels: { feishu: { baseUrl: url }, work: { kind: "feishu", baseUrl: url } } },
      end: () => feishu[Symbol.asyncDispose]() as Promise<void>,
    };
  },
  /** Somebody unknown has written, and was given a code. */
  stranger: async (place) => {
    const { desk, scene } = await deskOf(place, { operators: [] });
    const before = async (): Promise<Words> => {
      await place.gateway();
      desk.write("hello");
      const file = join(place.home, "channels/pairing.json");
      const codes = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
      await expect.poll(codes, { interval: 200 }).toContain('"code"');
      const [, code = ""] = /"code": "(\w+)"/.exec(codes()) ?? [];
      // The name that the page takes away is given to nobody again.
      return [
        ["ABCD2345", code],
        ["eva", "ada"],
      ];
    };
    return { ...scene, before };
  },
  /** Two replies whose receipts were lost. */
  reply: async (place) => {
    const { desk, scene } = await deskOf(place, { uncertain: "ask" });
    const waiting = async (): Promise<readonly { readonly reply: string; readonly state: string }[]> =>
      JSON.parse(await place.margay("channels", "waiting", "--json")) as readonly never[];
    const before = async (): Promise<Words> => {
      await place.gateway();
      desk.lose(2);
      desk.write("one");
      await desk.showed(1);
      desk.write("two");
      await desk.showed(2);
      await expect.poll(waiting, { interval: 200 }).toMatchObject([{ state: "uncertain" }, { state: "uncertain" }]);
      const [first, second] = await waiting();
      return [
        ...["REPLY", "回复"].flatMap((name): Words => [
          [`send ${name}`, `send ${first?.reply}`],
          [`drop ${name}`, `drop ${second?.reply}`],
        ]),
      ];
    };
    return { ...scene, before };
  },
  /** Another program and its token, while the gateway runs. */
  program: ({ margay, gateway }) => ({
    before: async () => {
      await gateway();
      const made = await margay("token", "create", "--name", "program", "--scope", "chat", "--json");
      const { token } = JSON.parse(made) as { readonly token: string };
      return [
        ["process.env.MARGAY_TOKEN", JSON.stringify(token)],
        ["$MARGAY_TOKEN", token],
      ];
    },
  }),
};

/** By its path, as plugins are loaded: the program and its tests know none of them by name. */
function ofPlugin<Name extends string, Started>(
  path: string,
): Promise<Record<Name, () => Promise<Started & AsyncDisposable>>> {
  return import(join(ROOT, "plugins", path)) as Promise<Record<Name, () => Promise<Started & AsyncDisposable>>>;
}

interface Bot {
  readonly url: string;
  readonly token: string;
}

interface MailServer {
  readonly host: string;
  readonly domain: string;
  readonly password: string;
  readonly imapPort: number;
  readonly smtpPort: number;
}

interface Feishu {
  readonly url: string;
  readonly registration: {
    readonly made: number;
    seconds: { readonly expires: number; readonly interval: number };
    scan(url: string, how: "agree"): unknown;
  };
  until(condition: () => boolean): Promise<void>;
}

async function deskOf({ home }: Place, channel: JsonObject): Promise<{ readonly desk: Desk; readonly scene: Scene }> {
  const desk = await startDesk();
  await installDesk(home);
  const end = (): Promise<void> => desk[Symbol.asyncDispose]() as Promise<void>;
  return { desk, scene: { config: deskConfig(desk, channel), end } };
}

/** An npm registry that has these plugins, as `npm pack` makes them. */
async function registry(...names: readonly string[]): Promise<Scene> {
  const packed = new Map<string, { readonly name: string; readonly tarball: Buffer }>(
    names.map((name) => {
      const tar = ["-cz", "--transform=s,^\\.,package,", "-C", join(ROOT, "plugins", name), ...FILES];
      return [`/@margay/${name}`, { name, tarball: execFileSync("tar", tar) }];
    }),
  );
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    const found = packed.get(path.replace(/\.tgz$/, ""));
    if (found === undefined) return void response.writeHead(404).end("{}");
    const { name, tarball } = found;
    if (path.endsWith(".tgz")) return void response.end(tarball);
    const manifest = JSON.parse(readFileSync(join(ROOT, "plugins", name, "package.json"), "utf8")) as JsonObject;
    const dist = {
      tarball: `http://127.0.0.1:${(server.address() as AddressInfo).port}/@margay/${name}.tgz`,
      integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
    };
    const version = String(manifest["version"]);
    const { devDependencies: _, ...rest } = manifest;
    const body = {
      name: manifest["name"],
      "dist-tags": { latest: version },
      versions: { [version]: { ...rest, dist } },
    };
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    environment: { npm_config_registry: `http://127.0.0.1:${port}/` },
    end: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const FILES = ["--exclude=node_modules", "--exclude=./test", "--exclude=./src", "--mtime=@0", "."];
