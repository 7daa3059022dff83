/** The operator's own git, asked outside of the sandbox: who they are, and which password they keep for a host. */
import { homedir } from "node:os";
import { egressName } from "./hosts.ts";
import { startTimer } from "../system/clock.ts";
import type { GitPlace } from "./git-target.ts";

export interface GitIdentity {
  readonly name?: string;
  readonly email?: string;
  /** `init.defaultBranch`. */
  readonly branch?: string;
}
export interface GitOutsideOptions {
  /** Absolute; undefined: there is no git. Asked at the first use. */
  readonly program: () => string | undefined;
  /** margay's own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Told of each password before it is used. */
  readonly secret?: (text: string) => void;
}
export interface GitOutside {
  /** Of the operator's global configuration, read once. Never throws; empty: there is none. */
  identity(): Promise<GitIdentity>;
  /** @returns the value of an `Authorization`. Never throws, never asks anybody; undefined: no helper knows one. */
  credential(place: GitPlace): Promise<string | undefined>;
}

/** A helper may have to wake a key ring. */
const HELPER_MS = 15_000;
const CONFIGURED = ["config", "--global", "--includes", "--null", "--get-regexp"] as const;
const MAX_ANSWER_CHARS = 64 * 1024;

export function gitOutside(options: GitOutsideOptions): GitOutside {
  let identity: Promise<GitIdentity> | undefined;
  const ask = async (args: readonly string[], input: string): Promise<string | undefined> => {
    const program = options.program();
    return program === undefined ? undefined : await run(program, args, input, options.environment);
  };
  return {
    identity: () =>
      (identity ??= ask([...CONFIGURED, "^(user\\.(name|email)|init\\.defaultbranch)$"], "").then(identityOf)),
    credential: async ({ host, port, path, username }) => {
      if (egressName(host) !== host || /[\0-\x1f]/.test(`${path}${username ?? ""}`)) return undefined;
      const lines = [
        "protocol=https",
        `host=${port === 443 ? host : `${host}:${port}`}`,
        `path=${path}`,
        ...(username === undefined ? [] : [`username=${username}`]),
      ];
      const answer = await ask(["credential", "fill"], `${lines.join("\n")}\n\n`);
      const known = new Map(answer?.split("\n").map((line) => splitAt(line, "=")));
      const [name, password] = [known.get("username"), known.get("password")];
      if (name === undefined || password === undefined || password === "") return undefined;
      const encoded = Buffer.from(`${name}:${password}`).toString("base64");
      options.secret?.(password);
      options.secret?.(encoded);
      return `Basic ${encoded}`;
    },
  };
}

function identityOf(list: string | undefined): GitIdentity {
  const known = new Map((list ?? "").split("\0").map((entry) => splitAt(entry, "\n"))); // the last one wins, as in git
  const [name, email, branch] = ["user.name", "user.email", "init.defaultbranch"].map((key) => known.get(key));
  return {
    ...(name !== undefined && name !== "" && { name }),
    ...(email !== undefined && email !== "" && { email }),
    ...(branch !== undefined && branch !== "" && { branch }),
  };
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** In no repository, so that only what the operator configured counts. @returns undefined when it failed. */
async function run(
  program: string,
  args: readonly string[],
  input: string,
  environment: GitOutsideOptions["environment"],
): Promise<string | undefined> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const done = Promise.withResolvers<string | undefined>();
  const child = spawn(program, args, {
    cwd: "/",
    env: quiet(environment),
    // A group of its own: a helper that hangs has started others.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  using _late = startTimer(HELPER_MS, () => {
    done.resolve(undefined);
    killGroup(child.pid);
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (said.length <= MAX_ANSWER_CHARS) said += text;
  });
  child.stdin.on("error", () => undefined).end(input);
  child.once("error", () => done.resolve(undefined));
  child.once("close", (code) => done.resolve(code === 0 && said.length <= MAX_ANSWER_CHARS ? said : undefined));
  return await done.promise;
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}

/** Nobody is there to type: what would ask fails. */
function quiet(environment: GitOutsideOptions["environment"]): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) => !name.startsWith("GIT_") || name.startsWith("GIT_CONFIG_"),
  );
  return {
    HOME: homedir(),
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GCM_INTERACTIVE: "never",
  };
}
