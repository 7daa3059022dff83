/** The keyring of the system through its own program: `secret-tool` (libsecret) on Linux, `security` on macOS. */
import { RuntimeError } from "@margay/core";
import type { Translate } from "../../texts/translate.ts";

export interface Keyring {
  /** Undefined: there is no such entry. @throws RuntimeError `keyring.failed`. */
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  remove(name: string): void;
}

export interface KeyringOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly t: Translate;
  readonly platform?: NodeJS.Platform;
}

/** A keyring that asks a person to unlock it gets this long. */
const TIMEOUT_MS = 60_000;
const SERVICE = "margay";
/** `security`: errSecItemNotFound. */
const MAC_NOT_FOUND = 44;
/** What the programs need to find the session's bus and keychain. */
const PASSED = [
  "PATH",
  "HOME",
  "USER",
  "DBUS_SESSION_BUS_ADDRESS",
  "XDG_RUNTIME_DIR",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "LANG",
];

/** A value goes in through standard input: everybody on the machine can read arguments. */
export function openKeyring({ env, t, platform = process.platform }: KeyringOptions): Keyring {
  const call = (program: string, args: readonly string[], input = ""): Outcome => {
    const { spawnSync } = process.getBuiltinModule("node:child_process");
    const { error, status, stdout, stderr } = spawnSync(program, args, {
      input,
      encoding: "utf8",
      timeout: TIMEOUT_MS,
      env: Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    });
    if (error !== undefined && "code" in error && error.code === "ENOENT")
      throw new RuntimeError(
        "keyring.failed",
        t(`keyring.missing.${platform === "darwin" ? "mac" : "linux"}`, { program }),
      );
    return { status: status ?? -1, out: stdout, err: stderr.trim() };
  };
  const failed = (program: string, { status, err }: Outcome): RuntimeError =>
    new RuntimeError("keyring.failed", t("keyring.failed", { program, status, reason: err.slice(0, 300) }));
  return platform === "darwin" ? macKeyring(call, failed) : linuxKeyring(call, failed);
}

interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}
type Calling = (program: string, args: readonly string[], input?: string) => Outcome;
type Failing = (program: string, outcome: Outcome) => RuntimeError;

function linuxKeyring(call: Calling, failed: Failing): Keyring {
  const program = "secret-tool";
  const at = (name: string): readonly string[] => ["service", SERVICE, "name", name];
  return {
    get: (name) => {
      const found = call(program, ["lookup", ...at(name)]);
      if (found.status === 0) return found.out.replace(/\n$/, "");
      if (found.status === 1 && found.err === "") return undefined; // says nothing when there is none
      throw failed(program, found);
    },
    set: (name, value) => {
      const done = call(program, ["store", `--label=margay ${name}`, ...at(name)], value);
      if (done.status !== 0) throw failed(program, done);
    },
    remove: (name) => {
      const done = call(program, ["clear", ...at(name)]);
      if (done.status !== 0 && done.err !== "") throw failed(program, done);
    },
  };
}

function macKeyring(call: Calling, failed: Failing): Keyring {
  const program = "security";
  return {
    get: (name) => {
      const found = call(program, ["find-generic-password", "-s", SERVICE, "-a", name, "-w"]);
      if (found.status === 0) return found.out.replace(/\n$/, "");
      if (found.status === MAC_NOT_FOUND) return undefined;
      throw failed(program, found);
    },
    set: (name, value) => {
      const hex = Buffer.from(value, "utf8").toString("hex");
      const done = call(program, ["-i"], `add-generic-password -U -s ${SERVICE} -a ${name} -X ${hex}\n`);
      if (done.status !== 0) throw failed(program, done);
    },
    remove: (name) => {
      const done = call(program, ["delete-generic-password", "-s", SERVICE, "-a", name]);
      if (done.status !== 0 && done.status !== MAC_NOT_FOUND) throw failed(program, done);
    },
  };
}
