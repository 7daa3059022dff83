/** Checks of the machine: Node, state directory, disk, permissions, lock. */
import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { lockOwner, makeDirectory, messageOf } from "@margay/core/internal";
import type { Check, Finding } from "../../host/finding.ts";

const NEEDED_NODE = [24, 15] as const;
/** Below this a journal could stop in the middle of a day. */
const LOW_DISK_MB = 500;
const EMPTY_DISK_MB = 50;
/** Enough to show the pattern; `--fix` repairs all. */
const SHOWN_MODES = 5;

export const checkNode: Check = ({ t }) => {
  const version = process.versions.node;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const ok = major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1]);
  if (ok) return [{ id: "node", level: "ok", text: t("doctor.node", { version }) }];
  return [
    {
      id: "node",
      level: "problem",
      text: t("doctor.nodeOld", { version, needed: NEEDED_NODE.join(".") }),
      repair: "npx -y -p node@24 margay doctor",
    },
  ];
};

export const checkHome: Check = ({ t, places: { home } }) => {
  try {
    makeDirectory(home);
    const probe = join(home, `.doctor-${process.pid}`);
    writeFileSync(probe, "", { mode: 0o600 });
    readdirSync(home);
    rmSync(probe);
    return [{ id: "home", level: "ok", text: t("doctor.home", { home }) }];
  } catch (error) {
    const text = t("doctor.homeReadOnly", { home, reason: messageOf(error) });
    return [{ id: "home", level: "problem", text, ...homeRepair(home, error) }];
  }
};

/** Rights help where rights are missing: not on a disk that is full or mounted to be read only. */
function homeRepair(home: string, error: unknown): Pick<Finding, "repair"> {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT") return { repair: `du -sh '${home}'/* | sort -h` };
  if (code !== "EACCES" && code !== "EPERM") return {};
  const isOwn = statSync(home, { throwIfNoEntry: false })?.uid === process.getuid?.();
  return { repair: `${isOwn ? "" : `sudo chown -R "$(id -un)" '${home}' && `}chmod 700 '${home}'` };
}

export const checkDisk: Check = async ({ t, places: { home } }) => {
  const { bavail, bsize } = await statfs(existing(home));
  const free = Math.floor((bavail * bsize) / 1_048_576);
  const level = free < EMPTY_DISK_MB ? "problem" : free < LOW_DISK_MB ? "warning" : "ok";
  return [
    {
      id: "disk",
      level,
      text: t(level === "ok" ? "doctor.disk" : "doctor.diskLow", { free, home }),
      ...(level !== "ok" && { repair: `du -sh '${home}'/* | sort -h` }),
    },
  ];
};

/**
 * State is private: directories 0700, files 0600. A workspace, of the house or of a person, is its owner's affair, and what an MCP server
 * makes in its directory is the server's: the directory itself is closed.
 */
export const checkModes: Check = ({ t, places: { home } }, fix) => {
  const wide = widePaths(home);
  if (wide.length === 0) return [{ id: "modes", level: "ok", text: t("doctor.modes") }];
  if (fix) for (const { path, mode } of wide) chmodSync(path, mode & 0o700);
  return wide.slice(0, SHOWN_MODES).map(({ path, mode }): Finding => ({
    id: "modes",
    level: fix ? "fixed" : "problem",
    text: t("doctor.modesWide", { path, mode: mode.toString(8) }),
    ...(!fix && { repair: "margay doctor --fix" }),
  }));
};

export const checkLock: Check = ({ t, places: { home } }) => {
  const pid = lockOwner(home);
  return [{ id: "lock", level: "ok", text: pid === undefined ? t("doctor.lockFree") : t("doctor.lock", { pid }) }];
};

function widePaths(home: string): readonly { readonly path: string; readonly mode: number }[] {
  if (process.platform === "win32") return []; // modes mean nothing there
  const paths = [
    home,
    ...readdirSync(home, { recursive: true, encoding: "utf8" })
      .filter((name) => name !== "workspace" && !/^(?:workspace|(?:mcp|spaces)\/[^/]+)\//.test(name))
      .map((name) => join(home, name)),
  ];
  return paths.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    const mode = (stats?.mode ?? 0) & 0o777;
    return stats !== undefined && (mode & 0o077) !== 0 ? [{ path, mode }] : [];
  });
}

function existing(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? existing(dirname(path)) : path;
}
