// One sandbox for a process: found and tested at the first use, never replaced by nothing without a word.
import fs from "node:fs";
import { release as systemRelease } from "node:os";
import { join, resolve } from "node:path";
import type { JsonObject, Millis } from "../../contract/base.ts";
import { systemClock } from "../system/clock.ts";
import { makeDirectory } from "../files/files.ts";
import { isInside } from "../files/paths.ts";
import { mustStayRoots } from "./account.ts";
import { openBubblewrap } from "./bubblewrap-driver.ts";
import { type Driver, type Failing, isFailing } from "./driver.ts";
import { closedWorkspace, faultOf, speaksOfShortage, type Fault } from "./faults.ts";
import { leaseFromJson } from "./leases.ts";
import { createKeeper } from "./quarantine/keeper.ts";
import { openOwnWrites } from "./quarantine/own-writes.ts";
import { openQuarantineStore } from "./quarantine/store.ts";
import { createSurveyor, type Surveyor } from "./survey.ts";
import {
  faultText,
  type Sandbox,
  type SandboxHold,
  type SandboxKind,
  type SandboxOptions,
  type SandboxStatus,
} from "./sandbox.ts";
import { openSeatbelt } from "./seatbelt.ts";
import { repeatWhenShort, testSandbox, type TestResult } from "./self-test.ts";
import { processTree, watchSpace } from "./space-watch.ts";
import { openSrt } from "./srt.ts";

/** Somebody may be installing what is missing right now. */
const TRY_AGAIN_AFTER_MS = 15_000;
/** Whoever is told to try again must find it tried again; those who asked at the same time share an answer. */
const SHORTAGE_LASTS_MS = 1_000;
const DISK_BYTES = 1024 ** 3;
/** A large `node_modules` fits; the inodes of a small disk are a million. */
const NEW_FILES = 50_000;
const MEMORY_BYTES = 6 * 1024 ** 3;

/** Starts nothing and reads nothing until it is used. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const clock = systemClock();
  const survey = createSurveyor();
  const state = realPath(options.state);
  const store = openQuarantineStore(join(state, "quarantine"), clock.now);
  const writes = openOwnWrites(join(state, "quarantine-writes.jsonl"));
  const keeper = createKeeper({ store, writes, survey, clock, kept: options.kept });
  const kind = kindOf(options);
  let tested: Promise<{ readonly driver: Driver | undefined; readonly status: SandboxStatus }> | undefined;

  const test = async (): Promise<{ readonly driver: Driver | undefined; readonly status: SandboxStatus }> => {
    const found = await find({ ...options, state }, survey);
    const testedAt = clock.now();
    if (isFailing(found)) return { driver: undefined, status: { kind, ok: false, ...found.failure, testedAt } };
    return { driver: found, status: { kind, ok: true, testedAt } };
  };
  const current = async (): Promise<{ readonly driver: Driver | undefined; readonly status: SandboxStatus }> => {
    const asked = (tested ??= test());
    const last = await asked;
    const lastsMs = last.status.fault === "shortage" ? SHORTAGE_LASTS_MS : TRY_AGAIN_AFTER_MS;
    if (last.status.ok || options.mode === "none" || clock.now() - last.status.testedAt < lastsMs) return last;
    // One for all who waited: many at once would be a reason to fail.
    if (tested === asked) tested = test();
    return await tested;
  };

  return {
    status: async () => (await current()).status,
    wrap: async (request) => {
      const { driver, status } = await current();
      if (driver === undefined) return faultText(status);
      const stuck = keeper.stuckIn(realPath(request.workspace));
      if (stuck !== undefined) return `${stuck} runs by itself and could not be moved away. Next: remove it`;
      return await driver.wrap(request);
    },
    hold: async (json, pid) => hold(json, pid),
    keepAside: (json, since) => Promise.resolve(keeper.watch(leaseFromJson(json), since)),
    writing: (path, at = clock.now()) => keeper.writing(resolve(realPath(options.workspace), path), at),
    account: async (workspace) => (await current()).driver?.account(realPath(workspace)),
  };

  function hold(json: JsonObject, pid: number): SandboxHold {
    const lease = leaseFromJson(json);
    const ended = new AbortController();
    const exceeded = Promise.withResolvers<string>();
    if (lease !== undefined)
      watchSpace(
        lease.workspace,
        { diskBytes: DISK_BYTES, newFiles: NEW_FILES, memoryBytes: MEMORY_BYTES },
        () => processTree(pid),
        ended.signal,
      )
        .then((reason) => reason !== undefined && exceeded.resolve(reason))
        .catch(() => undefined); // it is best effort: the limits of each process hold
    return { exceeded: exceeded.promise, [Symbol.dispose]: () => ended.abort(new Error("ended")) };
  }
}

async function find(options: SandboxOptions, survey: Surveyor): Promise<Driver | Failing> {
  const failing = (fault: Fault): Failing => ({ failure: fault });
  if (options.mode === "none") return failing(faultOf("off"));
  const workspace = realPath(options.workspace);
  const isRoot = (options.user?.uid ?? process.getuid?.()) === 0;
  if (isInside(workspace, "/usr") || (isRoot && mustStayRoots(workspace)))
    return failing(faultOf("workspace", options.workspace));
  const platform = options.platform ?? process.platform;
  if (platform === "linux" && (options.release ?? systemRelease()).endsWith("Microsoft"))
    return failing(faultOf("wsl1"));
  try {
    makeDirectory(workspace);
    fs.accessSync(workspace, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  } catch {
    return failing(closedWorkspace(workspace));
  }
  const directory = join(options.state, "sandbox");
  const driver =
    options.mode === "srt"
      ? openSrt(options, directory, survey)
      : platform === "linux"
        ? openBubblewrap(options, directory, survey)
        : platform === "darwin"
          ? openSeatbelt(options)
          : failing(faultOf("platform", platform === "win32" ? "Windows" : platform));
  if (isFailing(driver)) return driver;
  const test = async (patienceMs: Millis): Promise<TestResult> => {
    try {
      return await testSandbox(directory, realPath(workspace), driver.wrap, patienceMs);
    } catch (error) {
      if (!(error instanceof Error) || !speaksOfShortage(codeOf(error))) throw error;
      return { status: "short", of: error.message };
    }
  };
  try {
    const result = await repeatWhenShort(test, systemClock());
    switch (result.status) {
      case "passed":
        return driver;
      case "leaked":
        return failing(faultOf("self-test", result.what));
      case "closed":
        return failing(closedWorkspace(workspace));
      case "failed":
        return failing(driver.diagnose(result.said));
      case "short":
        return failing(faultOf("shortage", result.of));
    }
  } catch (error) {
    return failing(faultOf("self-test", error instanceof Error ? error.message : String(error)));
  }
}

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : "";
}

function kindOf({ mode, platform = process.platform }: SandboxOptions): SandboxKind {
  if (mode === "none" || mode === "srt") return mode;
  return platform === "darwin" ? "seatbelt" : platform === "linux" ? "bubblewrap" : "none";
}

function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    return path; // made later
  }
}
