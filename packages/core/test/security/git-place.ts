// Where git meets the internet in tests: a git server behind https, the operator's real git outside that keeps a password, the door
// on its socket, and commands in the real sandbox.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { execTool } from "../../src/builtin/exec/exec.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import type { EgressAttempt } from "../../src/machine/egress/proxy.ts";
import { type EgressDoor, type EgressDoorOptions, openEgressDoor } from "../../src/machine/egress/door.ts";
import type { GitAnswer, GitWish } from "../../src/machine/egress/git-door.ts";
import { gitOutside } from "../../src/machine/egress/git-outside.ts";
import { openSandbox } from "../../src/machine/sandbox/open-sandbox.ts";
import { createMachine, textOf } from "../builtin/machine.ts";
import { type GitServer, startGitServer } from "./git-server.ts";

export const PASSWORD = "s3cret:of the operator";
export const AUTHORIZATION = `Basic ${Buffer.from(`me:${PASSWORD}`).toString("base64")}`;

export interface Place {
  readonly server: GitServer;
  readonly workspace: string;
  readonly state: string;
  readonly attempts: readonly EgressAttempt[];
  readonly wishes: readonly GitWish[];
  readonly dials: readonly string[];
  readonly secrets: readonly string[];
  /** What the door answers to a request of any program. */
  ask(url: string, options?: http.RequestOptions & { readonly body?: string }): Promise<string>;
  run(command: string): Promise<string>;
  /** @returns why its result is a stranger's; empty: it is not. */
  causes(command: string): Promise<unknown>;
}

export interface PlaceOptions {
  readonly decide?: (wish: GitWish) => GitAnswer;
  /** What the operator's credential helper keeps for `git.test`. */
  readonly kept?: string;
}

/** Whatever is below `/private/`, and every push, wants the password. */
export async function gitPlace({ decide = () => ({ ok: true }), kept = PASSWORD }: PlaceOptions = {}): Promise<Place> {
  const machine = createMachine();
  const { workspace, state } = machine;
  const outside = join(state, "outside");
  fs.mkdirSync(outside, { mode: 0o700 });
  const server = await startGitServer(outside, ["git.test", "other.test", "loop.test"], ({ url = "", headers }) =>
    /^\/private\/|receive-pack/.test(url) ? headers.authorization === AUTHORIZATION : true,
  );
  fs.writeFileSync(
    join(outside, ".gitconfig"),
    '[credential]\n\thelper = "!f() { cat > /dev/null; echo username=me; echo \\"password=$KEPT\\"; }; f"\n[user]\n\tname = Ada \\"L\\" \\\\o/\n\temail = ada@example.org\n',
  );
  const attempts: EgressAttempt[] = [];
  const wishes: GitWish[] = [];
  const dials: string[] = [];
  const secrets: string[] = [];
  const git = gitOutside({
    program: () => "/usr/bin/git",
    environment: { PATH: process.env["PATH"], HOME: outside, KEPT: kept },
    secret: (text) => void secrets.push(text),
  });
  const options: EgressDoorOptions = {
    directory: join(state, "egress"),
    clock: systemClock(),
    hosts: () => [],
    record: (attempt) => void attempts.push(attempt),
    resolve: async (name) => (name.startsWith("loop.") ? ["127.0.0.1"] : ["93.184.216.34"]),
    connect: (address, port) => {
      dials.push(`${address}:${port}`);
      return net.connect(server.port, "127.0.0.1");
    },
    git: {
      decide: async (wish) => {
        wishes.push(wish);
        return decide(wish);
      },
      credential: (target) => (target.host === "git.test" ? git.credential(target) : Promise.resolve(undefined)),
    },
  };
  /** Of the program that is no command: for as long as the test. */
  let door: EgressDoor | undefined;
  onTestFinished(async () => {
    await door?.[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    machine[Symbol.dispose]();
  });
  const sandbox = openSandbox({
    mode: "required",
    workspace,
    state,
    searchPath: process.env["PATH"] ?? "",
    git: git.identity,
  });
  const tool = execTool({
    directory: join(state, "exec"),
    environment: process.env,
    sandbox,
    egress: { open: () => openEgressDoor(options) },
  });
  return {
    server,
    workspace,
    state,
    attempts,
    wishes,
    dials,
    secrets,
    ask: async (url, { body, ...more } = {}) => {
      door ??= await openEgressDoor(options);
      const socketPath = door.path;
      const answer = Promise.withResolvers<string>();
      const request = http.request({ socketPath, path: url, ...more }, (response) => {
        const { location = "", "set-cookie": cookies = [] } = response.headers;
        let text = `${response.statusCode} ${location}${cookies.join()}\n`;
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.once("end", () => answer.resolve(text));
      });
      request.once("connect", (response) => answer.resolve(`${response.statusCode}\n`));
      request.once("error", answer.reject);
      request.end(body);
      return await answer.promise;
    },
    run: async (command) => textOf(await machine.run(tool, { command })),
    causes: async (command) => {
      const { integrity, details } = await machine.run(tool, { command });
      const causes = typeof details === "object" && details !== null && "label" in details ? details.label : [];
      return [integrity, causes];
    },
  };
}

/** With one commit. */
export function filled({ server, state }: Place, path: string): string {
  const bare = server.repository(path);
  const work = join(state, "outside", `work-${path.replaceAll("/", "-")}`);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" });
  git("clone", "-q", bare, work);
  fs.writeFileSync(join(work, "README.md"), "hello from outside\n");
  git("-C", work, "add", ".");
  git("-C", work, "commit", "-qm", "first");
  git("-C", work, "push", "-q", "origin", "HEAD:main");
  return bare;
}
