// Keys of backups: what a gateway that makes them by itself leaves in the folder.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { hasCode } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { vi } from "vitest";
import { folderTarget } from "../../../src/features/backup/store/target.ts";
import { readEntries, snapshotsOf } from "../../../src/features/backup/store/snapshot.ts";
import { resticTarget } from "../../../src/features/backup/targets/restic.ts";
import { openStore } from "../../../src/features/backup/store/store.ts";
import { comes, type Probes, type World } from "./probe.ts";

const PASSPHRASE = "four unrelated words here";
/** A process of its own is started, on a machine that may do much else. */
const LONG = { timeout: 60_000, interval: 50 };

const daily = (more: JsonObject = {}): { readonly config: JsonObject } => ({
  config: { backup: { target: "../kept", passphrase: PASSPHRASE, schedule: "daily", drillDays: 0, ...more } },
});

async function made(world: World): Promise<void> {
  await vi.waitUntil(() => said(world, "backup.done", "backup"), LONG);
}

function said({ logs }: World, event: string, task: string): boolean {
  return logs.some((line) => line["event"] === event && line["task"] === task);
}

/** Paths of files that are there with their content. */
async function kept(world: World): Promise<readonly string[]> {
  await made(world);
  const store = await openStore(folderTarget(join(world.home, "../kept")), PASSPHRASE);
  const [newest] = await snapshotsOf(store);
  const entries = (newest && (await readEntries(store, newest.snapshot))) ?? [];
  return entries.flatMap(({ path, chunks }) => (chunks !== undefined && path.endsWith(".bin") ? [path] : []));
}

const files = (...names: readonly string[]) => ({
  prepare: ({ workspace }: { readonly workspace: string }) => {
    for (const name of names) writeFileSync(join(workspace, name), Buffer.alloc(700_000, name));
  },
});

export const BACKUP: Probes = {
  "backup.target": {
    values: ["../kept", "../elsewhere"],
    ...daily(),
    see: async (world) => {
      await made(world);
      return ["kept", "elsewhere"].filter((name) => existsSync(join(world.home, "..", name)));
    },
    saw: [["kept"], ["elsewhere"]],
  },
  "backup.passphrase": {
    values: [PASSPHRASE, "four other words entirely"],
    ...daily(),
    see: async (world) => {
      await made(world);
      const opened = openStore(folderTarget(join(world.home, "../kept")), PASSPHRASE);
      return opened.then(
        () => "opened",
        (error: unknown) => hasCode(error, "backup.wrong-key"),
      );
    },
    saw: ["opened", true],
  },
  "backup.user": {
    values: ["", "ann"],
    ...daily({ target: "s3://kept?endpoint=http://127.0.0.1:9", password: "of the key" }),
    see: async ({ logs }) => {
      const failure = () => logs.find((line) => line["event"] === "backup.failed");
      await vi.waitUntil(() => failure() !== undefined, LONG);
      return JSON.stringify(failure()).includes("needs a key");
    },
    saw: [true, false],
  },
  "backup.password": {
    values: ["of the repository", "another one"],
    ...daily({ target: "restic:../kept" }),
    see: async (world) => {
      await made(world);
      const name = `restic:${join(world.home, "../kept")}`;
      const login = { password: "of the repository" };
      const options = { name, login, clock: systemClock(), signal: AbortSignal.timeout(60_000), env: process.env };
      return resticTarget(options)
        .list("packs")
        .then(
          () => "opened",
          () => "refused",
        );
    },
    saw: ["opened", "refused"],
  },
  "backup.schedule": {
    values: ["off", "weekly"],
    ...daily(),
    see: (world) => comes(() => Promise.resolve(said(world, "backup.begun", "backup"))),
    saw: [false, true],
  },
  "backup.workspace": {
    values: ["list", "files"],
    ...daily(),
    place: files("one.bin"),
    see: kept,
    saw: [[], ["workspace/one.bin"]],
  },
  "backup.maxMegabytes": {
    values: [1, 2],
    ...daily(),
    place: files("one.bin", "two.bin"),
    see: async (world) => (await kept(world)).length,
    saw: [1, 2],
  },
  "backup.drillDays": {
    values: [0, 7],
    ...daily(),
    place: {
      prepare: ({ home }) => {
        const at = Date.now();
        const last = { at, target: "", name: "", bytes: 0 };
        mkdirSync(join(home, "backup"));
        writeFileSync(join(home, "backup/state.json"), JSON.stringify({ last, tried: { at }, checked: { at } }));
      },
    },
    see: (world) => comes(() => Promise.resolve(said(world, "backup.begun", "drill"))),
    saw: [false, true],
  },
  "backup.prune": {
    values: [false, true],
    ...daily(),
    see: async (world) => {
      await made(world);
      return comes(() => Promise.resolve(said(world, "backup.begun", "prune")));
    },
    saw: [false, true],
  },
};
