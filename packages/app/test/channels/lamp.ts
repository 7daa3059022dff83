// A platform of nobody, where people log in: what it shows and gives, the test says. Its plugin comes from a state directory.
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { expect } from "vitest";
import { approveInstalled } from "../plugins/approve-installed.ts";

export const TOKEN = "lamp-token-that-only-the-platform-knows";

export interface Lamp extends AsyncDisposable {
  readonly url: string;
  /** What the login tells next: a step as the contract has it, or `{ fault }`. */
  tell(step: JsonObject): void;
  /** How many logins have begun, and how many have ended, whichever way. */
  readonly begun: number;
  readonly left: number;
  /** What the last one was handed. */
  readonly handed: JsonObject;
  /** What was said with the right token. */
  readonly said: readonly string[];
}

export async function startLamp(): Promise<Lamp> {
  let begun = 0;
  let left = 0;
  let handed: JsonObject = {};
  const said: string[] = [];
  const steps: JsonObject[] = [];
  let waiting: ServerResponse | undefined;
  const give = (): void => {
    const [step] = steps;
    if (step === undefined || waiting === undefined) return;
    steps.shift();
    waiting.end(JSON.stringify(step));
    waiting = undefined;
  };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      const isKnown = request.headers["authorization"] === TOKEN;
      if (request.url === "/next") {
        waiting = response;
        response.once("close", () => {
          if (waiting === response) waiting = undefined;
        });
        return give();
      }
      if (request.url === "/begin") {
        begun += 1;
        handed = JSON.parse(body) as JsonObject;
      } else if (request.url === "/left") left += 1;
      else if (request.url === "/say" && isKnown) said.push(body);
      response.writeHead(isKnown || !["/say", "/who"].includes(request.url ?? "") ? 200 : 401).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // TCP has one
  return {
    url: `http://127.0.0.1:${port}`,
    tell: (step) => {
      steps.push(step);
      give();
    },
    get begun() {
      return begun;
    },
    get left() {
      return left;
    },
    get handed() {
      return handed;
    },
    said,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const PLUGIN = `export const plugin = {
  contract: "channel/1",
  kind: "lamp",
  create: ({ id, settings }, host) => {
    const ask = (path, body, signal) =>
      host.request(settings.baseUrl + path, { method: "POST", body, headers: { authorization: settings.token } }, { ms: 30_000, maxBytes: 100_000, signal });
    return {
      id,
      can: { once: "no", text: { dialect: "plain", max: 200 } },
      run: async (_inbox, signal) => {
        const answer = await ask("/who", "", signal);
        if (answer.status === 401) throw host.fault("auth", "The lamp does not know this token. Log in again.");
        host.up("the lamp of " + settings.room);
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
      send: async (piece, signal) => {
        const answer = await ask("/say", piece.parts[0].text, signal);
        if (answer.status === 401) throw host.fault("auth", "The lamp does not know this token. Log in again.", { sent: "no" });
        return "1";
      },
    };
  },
  async *login({ settings }, host, signal) {
    const ask = (path, body, end = signal) =>
      host.request(settings.baseUrl + path, { method: "POST", body }, { ms: 60_000, maxBytes: 100_000, signal: end });
    await ask("/begin", JSON.stringify(settings));
    try {
      for (;;) {
        const step = await (await ask("/next", "")).json();
        if (step.fault) throw host.fault("refused", step.fault);
        if (step.type === "end") return;
        yield step;
        if (step.type === "done") return;
      }
    } finally {
      await ask("/left", "", new AbortController().signal);
    }
  },
};`;

/** Into a state directory, as `margay plugin add` does. */
export async function installLamp(home: string): Promise<void> {
  const folder = join(home, "plugins", "node_modules", "margay-channel-lamp");
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  write("package.json", {
    name: "margay-channel-lamp",
    version: "1.0.0",
    type: "module",
    exports: "./index.js",
    margay: { channel: "channel.json" },
  });
  write("channel.json", {
    contract: "channel/1",
    kind: "lamp",
    title: "Lamp",
    needs: "poll",
    login: "qr",
    can: { once: "no", text: { dialect: "plain", max: 200 } },
    account: ["baseUrl"],
    schema: {
      type: "object",
      properties: {
        token: { type: "string", writeOnly: true },
        baseUrl: { type: "string" },
        options: { type: "object", properties: { room: { type: "string" } }, additionalProperties: false },
      },
      required: ["token"],
    },
    guide: { en: "guide.md", zh: "guide.md" },
  });
  write("guide.md", "Nothing to do.\n");
  write("index.js", PLUGIN);
  await approveInstalled(home, "margay-channel-lamp");
}

/** Whether the drawing is a QR code, as phones look for one: three eyes in their corners, with nothing around. */
export function expectQr(rows: readonly (readonly boolean[])[], border: number): void {
  const size = rows.length - 2 * border;
  expect((size - 17) % 4).toBe(0);
  const eye = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"];
  const at = (x: number, y: number): readonly string[] =>
    rows.slice(y + border, y + border + 7).map((row) =>
      row
        .slice(x + border, x + border + 7)
        .map((isDark) => (isDark ? "#" : "."))
        .join(""),
    );
  for (const [x, y] of [
    [0, 0],
    [size - 7, 0],
    [0, size - 7],
  ] as const)
    expect(at(x, y)).toEqual(eye);
  const around = rows.filter((row, y) => y < border || y >= size + border || row.slice(0, border).some(Boolean));
  expect(around.flat().some(Boolean)).toBe(false);
}
