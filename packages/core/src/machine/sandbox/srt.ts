// The operator's own choice: Anthropic's sandbox-runtime, as a command that is installed outside the workspace.
import fs from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { makeDirectory, replaceFile } from "../files/files.ts";
import { isInside } from "../files/paths.ts";
import type { Driver, Failing } from "./driver.ts";
import { faultOf } from "./faults.ts";
import { findProgram } from "./find-program.ts";
import { protect } from "./protection.ts";
import type { ConfinedCommand, SandboxRequest } from "./sandbox.ts";
import type { Surveyor } from "./survey.ts";
import { createLease, leaseToJson } from "./leases.ts";
import { systemClock } from "../system/clock.ts";
import { ownHome } from "./own-home.ts";

export interface SrtOptions {
  readonly workspace: string;
  readonly state: string;
  readonly searchPath: string;
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** It has no limits of processes and memory, and shows all that is not denied: weaker than our own, hence by choice only. */
export function openSrt(options: SrtOptions, directory: string, survey: Surveyor): Driver | Failing {
  if ((options.user?.uid ?? process.getuid?.()) === 0)
    return { failure: faultOf("no-srt", "and margay runs as root, whose rights srt would leave to commands") };
  const program = findProgram("srt", options.searchPath, [options.workspace]);
  if (program.status !== "found")
    return { failure: faultOf("no-srt", program.status === "untrusted" ? program.path : "") };
  const wrap = async (request: SandboxRequest): Promise<ConfinedCommand> => {
    const { workspace } = request;
    const found = await survey(workspace);
    const protection = protect(workspace, found, {
      inbox: request.inbox === true,
      isNamed: () => false,
      mayConfigure: false,
    });
    const settings = JSON.stringify({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: {
        denyRead: [options.state, ...hiddenHome(program.path, workspace)],
        allowWrite: [workspace, "/tmp", ...(request.writable ?? [])],
        denyWrite: protection.mounts.filter(({ kind }) => kind !== "writable").map(({ path }) => path),
      },
    });
    makeDirectory(directory);
    const file = join(directory, `srt-${createHash("sha256").update(settings).digest("hex").slice(0, 16)}.json`);
    if (!fs.existsSync(file)) replaceFile(file, settings);
    const environment = { ...request.environment, HOME: "/tmp", TMPDIR: "/tmp" };
    const lease = leaseToJson(createLease(workspace, found, protection, systemClock().now()));
    return { argv: [program.path, "--settings", file, "-c", request.argv.map(quoted).join(" ")], environment, lease };
  };
  return {
    wrap: async (request) => {
      if (typeof request.network === "object")
        return "srt has no way to margay's egress proxy. Next: set tools.exec.sandbox to required";
      return isInside(request.workspace, request.directory)
        ? await wrap(request)
        : `${request.directory} is not in the sandbox. Next: use a directory of the workspace ${request.workspace}`;
    },
    account: () => Promise.resolve(undefined),
    diagnose: (said) => faultOf("self-test", said.trim().split("\n").at(-1) ?? ""),
  };
}

/** As one word of a shell: srt takes a command line. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The home directory, unless srt itself is in it: it could not start its helper any more. */
function hiddenHome(program: string, workspace: string): readonly string[] {
  const home = ownHome();
  const places = [".ssh", ".gnupg", ".aws", ".config", ".netrc", ".npmrc", ".docker", ".kube"].map((name) =>
    join(home, name),
  );
  return isInside(home, program) || isInside(home, workspace) ? places : [home];
}
