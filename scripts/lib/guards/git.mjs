// The door for git, the operator's git behind it, and repositories of which nobody said whose they are.

const DOOR = "packages/core/src/machine/egress/git-door.ts";
const TARGET = "packages/core/src/machine/egress/git-target.ts";
const UNKNOWN = "packages/core/src/labels/unknown-repositories.ts";
const ATTACKS = ["packages/core/test/security/git-attacks.test.ts"];
const CLONED = ["packages/core/test/labels/unknown-repositories.test.ts"];

export const GIT_GUARDS = [
  {
    id: "git door: a yes is for one verb and one repository",
    file: DOOR,
    find: "const key = `${keyOf(target)} ${String(credentials)}`;",
    replace: 'const key = "";',
    tests: ATTACKS,
  },
  {
    id: "git door: the password needs a yes of its own",
    file: DOOR,
    find: "const allowed = await allow(target, true);",
    replace: "const allowed = {};",
    tests: ATTACKS,
  },
  {
    id: "git door: what a program says of itself stays inside",
    file: DOOR,
    find: "...passed(request, ASKED),",
    replace: "...request.headers,",
    tests: ATTACKS,
  },
  {
    id: "git door: a pack follows its announcement",
    file: DOOR,
    find: "if (!isEntering && !entered.has(key))",
    replace: "if (false)",
    tests: ATTACKS,
  },
  {
    id: "git door: what a server wants kept stays outside",
    file: DOOR,
    find: "{ ...passed(message, ANSWERED), connection",
    replace: "{ ...message.headers, connection",
    tests: ATTACKS,
  },
  {
    id: "git door: a redirect leads to a repository by https",
    file: TARGET,
    find: 'url?.protocol !== "https:"',
    replace: "url === null",
    tests: ATTACKS,
  },
  {
    id: "git door: a redirect is asked for at the door again",
    file: TARGET,
    find: "`http://${GIT_DOOR}${there}`;",
    replace: "`https:/${there}`;",
    tests: ATTACKS,
  },
  {
    id: "git door: a path is made of names",
    file: "packages/core/src/lib/paths/git-repository.ts",
    find: "|| !segments.every((one) => SEGMENT.test(one))",
    replace: "",
    tests: ATTACKS,
  },
  {
    id: "git door: only git's own requests pass",
    file: TARGET,
    find: "service=git-(upload|receive)-pack)$/",
    replace: "service=git-(upload|receive)-(?:pack|archive)(?:&.*)?)$/",
    tests: ATTACKS,
  },
  {
    id: "git outside: no program asks for a password",
    file: "packages/core/src/machine/egress/git-outside.ts",
    find: 'GIT_ASKPASS: "",',
    replace: "",
    tests: ATTACKS,
  },
  {
    id: "git door: only what is the operator's own comes in trusted",
    file: "packages/core/src/machine/egress/door.ts",
    find: "trusted && (reached.get(host) ?? true)",
    replace: "attempt.verb !== undefined",
    tests: ["packages/core/test/security/git-door.test.ts"],
  },
  {
    id: "git in the sandbox: a name is a value",
    file: "packages/core/src/machine/sandbox/view.ts",
    find: 'value.replaceAll(/[\\0-\\x1f\\x7f]/g, " ")',
    replace: "value",
    tests: ["packages/core/test/machine/sandbox/parts.test.ts"],
  },
  {
    id: "labels: a cloned repository is nobody's until somebody says so",
    file: UNKNOWN,
    find: "labels.addTree(repository, `came from ${from}`, statsAt(workspace, repository));",
    replace: "",
    tests: CLONED,
  },
  {
    id: "labels: file tools meet a cloned repository before any command",
    file: "packages/core/src/builtin/files/file-tools.ts",
    find: "await unknown?.around(path);",
    replace: "",
    tests: CLONED,
  },
  {
    id: "labels: an answer is for one address",
    file: UNKNOWN,
    find: "labels.originOf(repository)?.from === from",
    replace: "labels.originOf(repository) !== undefined",
    tests: CLONED,
  },
  {
    id: "labels: what a person clones beside a command is no command's",
    file: UNKNOWN,
    find: "(network || !isElsewhere(from))",
    replace: "true",
    tests: CLONED,
  },
];
