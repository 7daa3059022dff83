// What persons of a house have of each other: the shared folder, what somebody lets go, and calls that another answers.

const ROOM = "packages/app/src/compose/rooms/rooms.ts";
const SHARES = ["packages/app/test/channels/shares.test.ts"];
const RELEASES = "packages/core/src/people/releases.ts";
const READING = "packages/core/src/people/reading.ts";
const SHARED = ["packages/app/test/channels/shared.test.ts"];
const SHARED_FOLDER = ["packages/core/test/builtin/shared-folder.test.ts"];
const VIEW = "packages/core/src/builtin/files/shared-folder.ts";
const MOUNT = "packages/core/src/machine/files/mounted-folder.ts";
const FILE_READERS = ["packages/app/test/channels/file-readers.test.ts"];
const KEPT_BACK = "packages/core/src/people/kept-back.ts";
const KEPT_BACK_TESTS = ["packages/core/test/people/kept-back.test.ts"];
const ASKED_CALLS = ["packages/core/test/people/asked-calls.test.ts"];

export const HOUSEHOLD_GUARDS = [
  {
    id: "shared folder: what another may not tell the household",
    file: READING,
    find: "if (!isOwn(others, state, attended, isAlone)) return",
    replace: "if (others.length < 0) return",
    tests: SHARED,
  },
  {
    id: "shared folder: words in view of another's",
    file: READING,
    find: "(await isSaid(write, state))",
    replace: "true",
    tests: SHARED,
  },
  {
    id: "shared folder: the name of a new file",
    file: "packages/core/src/people/shared-writes.ts",
    find: "before === undefined ? path",
    replace: "before === null ? path",
    tests: SHARED,
  },
  {
    id: "shared folder: whose word a content is",
    file: "packages/core/src/labels/file-writers.ts",
    find: "known().contents.get(path)?.get(sha256) === by",
    replace: "known().contents.get(path)?.has(sha256) === true",
    tests: SHARED,
  },
  {
    id: "shared folder: a change of another's file",
    file: VIEW,
    find: 'const isOwn = write.part === "whole" ||',
    replace: 'const isOwn = write.part !== "none" ||',
    tests: SHARED,
  },
  {
    id: "shared folder: what was written after a stranger's text was read",
    file: VIEW,
    find: "isOwn && !isUntrusted(context.label) ?",
    replace: "isOwn ?",
    tests: SHARED_FOLDER,
  },
  {
    id: "shared folder: what is read there stays in the household",
    file: VIEW,
    find: "({ ...asUntrusted(result), readers })",
    replace: "asUntrusted(result)",
    tests: SHARED,
  },
  {
    id: "shared folder: not of groups and agents with a folder of their own",
    file: ROOM,
    find: "const hasShared = folder === home && !isOfGroup;",
    replace: "const hasShared = true;",
    tests: SHARED,
  },
  {
    id: "shared folder: what the workspace has under its name",
    file: MOUNT,
    find: "if (isThere() && (real === as ||",
    replace: "if (as === path && (real === as ||",
    tests: SHARED_FOLDER,
  },
  {
    id: "files: the answer of an edit",
    file: "packages/core/src/builtin/files/edit-file.ts",
    find: "return mark(await edit(",
    replace: 'return mark === undefined ? "" : (await edit(',
    tests: SHARED_FOLDER,
  },
  {
    id: "releases: a no sends nothing",
    file: RELEASES,
    find: 'if (release?.verdict !== "allow" || ',
    replace: "if (release === undefined || ",
    tests: ["packages/app/test/channels/releases.test.ts"],
  },
  {
    id: "files: who may read what was written into one",
    file: "packages/core/src/labels/file-labels.ts",
    find: "readers(label.readers !== undefined)?.writing",
    replace: "readers(label.readers === null)?.writing",
    tests: FILE_READERS,
  },
  {
    id: "files: the folder of an agent that others work with too",
    file: READING,
    find: "isWrite(call) && isCommon(state, people) ?",
    replace: "isWrite(call) && state === undefined ?",
    tests: FILE_READERS,
  },
  {
    id: "files: a long result of a text that was told",
    file: "packages/core/src/tools/invoke.ts",
    find: "result.readers === undefined ? bounds.store",
    replace: "result.readers !== null ? bounds.store",
    tests: FILE_READERS,
  },
  {
    id: "files: who may read a file that is sent itself",
    file: "packages/core/src/builtin/message.ts",
    find: "readers.push(...(await readersIn(file, options.labels)));",
    replace: "",
    tests: FILE_READERS,
  },
  {
    id: "files: who may read a line of the memory",
    file: "packages/core/src/builtin/files/file-tools.ts",
    find: "return file.real.startsWith(MEMORY) ?",
    replace: "return file.real === MEMORY ?",
    tests: FILE_READERS,
  },
  {
    id: "files: who may read what a command writes of its own text",
    file: "packages/core/src/undo/attribution.ts",
    find: "owners.flatMap((one) => one.readers ?? [])",
    replace: "owners.flatMap(() => [])",
    tests: ["packages/core/test/labels/file-readers.test.ts"],
  },
  {
    id: "files: who may read what a command made",
    file: "packages/core/src/labels/label-changes.ts",
    find: "if (readers.length > 0) labels",
    replace: "if (readers.length < 0) labels",
    tests: ["packages/core/test/labels/file-readers.test.ts"],
  },
  {
    id: "kept back: whose own things would be read is asked first",
    file: KEPT_BACK,
    find: "return isPersons && isRead && !isAgreed ?",
    replace: "return isPersons && isRead && isAgreed && !isAgreed ?",
    tests: KEPT_BACK_TESTS,
  },
  {
    id: "kept back: what they may not read yet is not shown to who is asked whether others may",
    file: "packages/core/src/people/release-text.ts",
    find: "if (given.blind === true) {",
    replace: "if (given.blind === undefined && question === null) {",
    tests: KEPT_BACK_TESTS,
  },
  {
    id: "kept back: nor to a browser or an export of theirs",
    file: "packages/core/src/view/cut.ts",
    find: "parts: release.blind === true ? [] : parts,",
    replace: "parts,",
    tests: KEPT_BACK_TESTS,
  },
  {
    id: "kept back: what is sent without a turn",
    file: KEPT_BACK,
    find: "if (withheld(all, reader, people).length === 0) return message;",
    replace: "if (all.length > 0) return message;",
    tests: KEPT_BACK_TESTS,
  },
  {
    id: "kept back: an answer",
    file: "packages/core/src/loop/loop.ts",
    find: "if (asked === undefined) await session.commit(...whole);",
    replace: "if (asked !== null) await session.commit(...whole);",
    tests: KEPT_BACK_TESTS,
  },
  {
    id: "shares: of this reader alone",
    file: "packages/core/src/people/put-release.ts",
    find: " && each.reader === reader)",
    replace: ")",
    tests: SHARES,
  },
  {
    id: "shares: all that an answer was made of",
    file: "packages/core/src/people/put-release.ts",
    find: "lasting.every(",
    replace: "lasting.some(",
    tests: SHARES,
  },
  {
    id: "shares: a look that found nothing has no name",
    file: "packages/core/src/people/look-up.ts",
    find: "const isNamed = isAll && ",
    replace: "const isNamed = ",
    tests: SHARES,
  },
  {
    id: "shares: what stood there, not where",
    file: "packages/core/src/people/look-up.ts",
    find: "seen: JSON.stringify([name, source, words]),",
    replace: "seen: JSON.stringify([name, source, line]),",
    tests: SHARES,
  },
  {
    id: "shares: all that a message was made of",
    file: "packages/core/src/people/sources.ts",
    find: "told.length > 0 && told.length === each.length",
    replace: "told.length >= 0",
    tests: ["packages/app/test/channels/message-shares.test.ts"],
  },
  {
    id: "shares: what is of a conversation's own bears no name",
    file: "packages/core/src/people/sources.ts",
    find: "personOf(readerOf(state)) !== of && ",
    replace: "",
    tests: ["packages/core/test/people/releases.test.ts"],
  },
  {
    id: "shares: taken back by whom it belongs to",
    file: "packages/app/src/features/people/shares.ts",
    find: "(each) => each.of === person && ",
    replace: "(each) => ",
    tests: SHARES,
  },
  {
    id: "asked calls: their text stays out of the chat that asks",
    file: "packages/core/src/people/whose-word.ts",
    find: "return { ...verdict, of: { person: OWNER, told: options.once(context.state.turn, told) } };",
    replace: "return { ...verdict, of: { person: OWNER } };",
    tests: ASKED_CALLS,
  },
  {
    id: "asked calls: a member answers what stays in their own room, and there",
    file: "packages/core/src/control/who-may.ts",
    find: "return isOf && isPerson(reader) && reader === audience",
    replace: 'return item?.status === "asked" && isPerson(reader)',
    tests: ASKED_CALLS,
  },
  {
    id: "asked calls: a late yes holds for ten minutes",
    file: "packages/core/src/people/whose-word.ts",
    find: "Number(until) > now() &&",
    replace: "",
    tests: ASKED_CALLS,
  },
  {
    id: "asked calls: a late yes is for exactly that call",
    file: "packages/core/src/people/whose-word.ts",
    find: "{ ...proposed, callId: call }, callFiles) === hash",
    replace: "{ ...proposed, callId: call }, callFiles) !== undefined",
    tests: ASKED_CALLS,
  },
  {
    id: "asked calls: a late yes is used once",
    file: "packages/core/src/lib/approval-choices.ts",
    find: "rule !== `${LATE} ${each.call}`",
    replace: "true",
    tests: ASKED_CALLS,
  },
  {
    id: "codes: three wrong ones",
    file: "packages/core/src/control/approvals.ts",
    find: 'if (word !== "" && actions.codes.isLocked(guesser))',
    replace: "if (false)",
    tests: ASKED_CALLS,
  },
];
