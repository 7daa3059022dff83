// Who writes files without the store of documents (decision 0094), and why that is no state of the home that others change too.
// A file that is not here may not; a line that nobody needs any more is told as well.

/** The stores themselves, and the machine under them. */
const STORES = /^packages\/core\/src\/(machine|journal)\//;
/** What writes a file. */
const WRITES = /\b(?:replaceFile|writeFileSync|appendFileSync|appendFile|writeFile)\(/;

const CORE = "packages/core/src";
const APP = "packages/app/src";

/** Path of a file, or of a folder with a slash behind it → what it writes. */
export const ALONE = {
  // Lines that only grow, or are written anew as lines: journals of their own, not documents.
  [`${CORE}/audit/`]: "the chained log with its signed head, and the lines of notifications",
  [`${CORE}/labels/`]: "lines about files of the workspace, beside it",
  [`${CORE}/schedule/job-store.ts`]: "the journal of the jobs",
  [`${APP}/features/openai-api/session-index.ts`]: "lines about what /v1 has answered: a lost one costs a match",
  [`${APP}/host/http/replay-file.ts`]: "lines of what was made under which key",
  // Files of the workspace, and copies of them: read and changed by people and tools as files.
  [`${CORE}/memory/memory.ts`]: "MEMORY.md, HISTORY.md and versions of them, for a person to open",
  [`${APP}/features/memory/`]: "the same files, and who changed them",
  [`${CORE}/undo/`]: "copies of files that a turn changes",
  [`${CORE}/skills/install.ts`]: "the files of a skill",
  [`${CORE}/skills/stage.ts`]: "the files of a skill, on their way",
  [`${APP}/features/skills/stages.ts`]: "the files of a skill, on their way",
  [`${APP}/features/skills/save-skill.ts`]: "the files of a skill, on their way",
  [`${APP}/compose/rooms/rooms.ts`]: "a note in the folder of a group, for whoever looks there",
  // What was made of something else: may be deleted at any time.
  [`${CORE}/skills/parse-cache.ts`]: "a cache",
  [`${APP}/chunk-loader.ts`]: "what V8 compiled of this program on this machine",
  // Of this machine or this process, whatever store a home has.
  [`${CORE}/channels/state.ts`]: "frames that nobody could read, as bytes",
  [`${APP}/config/log-file.ts`]: "the log of this process",
  [`${APP}/config/secrets/secrets.ts`]: "values that config.json names by their path on this machine",
  [`${APP}/config/secrets/vault-key.ts`]: "the key of the vault: a node has its own way to it",
  [`${APP}/features/gateway/service.ts`]: "the unit of systemd or launchd",
  [`${APP}/features/plugins/service.ts`]: "the package.json that npm asks for",
  [`${APP}/features/system/doctor-machine.ts`]: "a probe whether the disk takes anything",
  [`${APP}/host/audit-owed.ts`]: "the mark that there was a log: outside of whatever may be taken away",
  [`${APP}/host/control/socket-path.ts`]: "where the socket of this process is",
  [`${APP}/host/http/server.ts`]: "gateway.json: how this process is reached",
  [`${APP}/host/cli/login-link.ts`]: "a page for this machine's browser",
  [`${APP}/host/tui/`]: "what was typed in this terminal, and a text for an editor",
  // A home as a whole is made or moved, before anything in it is opened.
  [`${APP}/features/backup/move/`]: "which of two homes answers: asked before anything in it is opened",
  [`${APP}/features/backup/restore.ts`]: "the files of a home that is restored",
  [`${APP}/features/backup/staging.ts`]: "notes of a home that is put into its place",
  [`${APP}/features/backup/store/`]: "what a target holds",
  [`${APP}/features/backup/targets/`]: "a password for another program",
  [`${APP}/features/import-home/`]: "a home that is imported",
  [`${CORE}/testing/`]: "what tests need",
};

/** @param sources `{ path, text }`. @returns places, and exceptions that are none. */
export function writtenPast(sources) {
  const used = new Set();
  const places = sources.flatMap(({ path, text }) => {
    if (!/^packages\/(core|app)\/src\/.*\.ts$/.test(path) || STORES.test(path)) return [];
    const at = text
      .split("\n")
      .flatMap((line, n) => (WRITES.test(line) && !isComment(line) ? [`${path}:${n + 1}`] : []));
    const reason = Object.keys(ALONE).find((one) => (one.endsWith("/") ? path.startsWith(one) : path === one));
    if (at.length > 0 && reason !== undefined) used.add(reason);
    return reason === undefined ? at : [];
  });
  const needless = sources.length < 100 ? [] : Object.keys(ALONE).filter((one) => !used.has(one));
  return [...places, ...needless.map((one) => `${one} writes nothing: take its line out of written-files.mjs`)];
}

function isComment(line) {
  return /^\s*(?:\/\/|\/?\*)/.test(line);
}
