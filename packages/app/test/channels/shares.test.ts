// What somebody lets a reader have for always: from these lines and files as they stand, to this reader, until it is taken back.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const people = {
  owner: { ids: ["webhook:ada"], name: "Ada" },
  eva: { name: "Eva", ids: ["webhook:eva"] },
  paul: { name: "Paul", ids: ["webhook:paul"] },
};
const KEY = "- PAUL-KEY the spare key is with Mia";
const CAR = "- PAUL-CAR the car stands in Elm Street";

async function house(...lines: readonly string[]): Promise<Running> {
  return furnished(await running({ allowFrom: ["ann"] }, { rules: "off", config: { people } }), ...lines);
}

async function furnished(place: Running, ...lines: readonly string[]): Promise<Running> {
  for (const who of ["ada", "eva", "paul"]) await write(place, who, "hi");
  note(place, "memory/MEMORY.md", `${lines.join("\n")}\n`);
  return place;
}

/** In Paul's folder. */
function note({ place }: Running, path: string, text: string): void {
  const file = join(place.home, "spaces/p-paul", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

let serial = 0;
async function write(place: Running, sender: string, text: string): Promise<string> {
  await postSigned(place.port, { id: `s${++serial}`, chat: sender, sender, text, private: true });
  await place.app.agent.idle();
  return texts(place, sender).at(-1) ?? "";
}

function texts({ receiver }: Running, chat: string): readonly string[] {
  return receiver.received.filter(({ body }) => body["chat"] === chat).map(({ body: { text } }) => String(text));
}

function questions(place: Running): readonly string[] {
  return texts(place, "paul").filter((text) => text.includes("asks you by way of me"));
}

function codeIn(place: Running): string {
  return /\/(?:allow|deny) ([2-9A-Z]{4})/.exec(questions(place).at(-1) ?? "")?.[1] ?? "";
}

const LOOKS = callsTool("recall", { query: "key" });
const READS = callsTool("read_file", { path: "notes/key.md" });

/** Somebody asks Paul, in a context without others' words; his room is looked at like this. @returns what arrived of his. */
async function asks(
  place: Running,
  who: string,
  answer: string,
  ...looks: readonly object[]
): Promise<readonly string[]> {
  await write(place, who, "/new");
  const before = texts(place, who).length;
  place.model.replies(
    callsTool("ask_person", { person: "Paul", question: `${answer}?` }),
    ...(looks as (typeof LOOKS)[]), // as they are made here
    says(answer),
    says("I asked him"),
  );
  await write(place, who, "ask Paul");
  return texts(place, who)
    .slice(before)
    .filter((text) => text.startsWith("Paul answers"));
}

async function always(place: Running, ...looks: readonly object[]): Promise<string> {
  await asks(place, "eva", "with Mia", ...looks);
  return write(place, "paul", `/allow ${codeIn(place)} always`);
}

function kept({ place }: Running): readonly Record<string, string>[] {
  const { shares } = JSON.parse(readFileSync(join(place.home, "shares.json"), "utf8")) as {
    shares: readonly Record<string, string>[];
  };
  return shares;
}

const told = (answer: string): readonly string[] => [`Paul answers: ${answer}`];

test("PE45 Always: what is made of that line goes to that reader unasked, to nobody else, and is in nobody's but his list", async () => {
  let place = await house(KEY, CAR);
  expect(await asks(place, "eva", "with Mia", LOOKS)).toEqual([]);
  expect(questions(place).at(-1)).toContain(`memory:1 ${KEY}`);
  expect(questions(place).at(-1)).toContain(`/allow ${codeIn(place)} always`);
  expect(await write(place, "paul", `/allow ${codeIn(place)} always`)).toBe(
    "Allowed, and from these always. /shared lists that and takes it back.",
  );
  expect(texts(place, "eva").at(-1)).toBe("Paul answers: with Mia");
  const before = questions(place).length;
  expect(await asks(place, "eva", "it is with Mia", LOOKS)).toEqual(told("it is with Mia"));
  expect(await asks(place, "eva", "it is with Mia", LOOKS)).toEqual(told("it is with Mia")); // as often as she asks
  place = await startedAgain(place);
  expect(await asks(place, "eva", "still with Mia", LOOKS)).toEqual(told("still with Mia"));
  expect(questions(place)).toHaveLength(before);
  const session = await place.app.agent.sessions.find("webhook:paul");
  expect(session?.state.releases?.at(-1)).toMatchObject({ verdict: "allow", closed: true });
  // Another reader, and another line beside it, are other questions.
  expect(await asks(place, "ada", "with Mia", LOOKS)).toEqual([]);
  expect(await asks(place, "eva", "and the car", LOOKS, callsTool("recall", { query: "car" }))).toEqual([]);
  expect(questions(place)).toHaveLength(before + 2);
  const list = await write(place, "paul", "/shared");
  expect(list).toContain("PAUL-KEY the spare key is with Mia, to Eva");
  expect(list).not.toContain("PAUL-CAR");
  for (const who of ["eva", "ada"]) expect(await write(place, who, "/shared")).not.toContain("PAUL");
  expect(await write(place, "ann", "/shared")).toBe("Only an operator can do that.");
  expect(await write(place, "paul", "/help")).toContain("/shared – what of yours others have");
});

test("PE45 an owner whom only a channel knows is a reader as anybody else is", async () => {
  const { eva, paul } = people;
  const place = await furnished(
    await running({ operators: ["ada"] }, { rules: "off", config: { people: { eva, paul } } }),
    KEY,
  );
  await asks(place, "ada", "with Mia", LOOKS);
  expect(questions(place).at(-1)).toMatch(/^The owner asks you by way of me.* and the owner alone would read it/s);
  expect(await write(place, "paul", `/allow ${codeIn(place)} always`)).toContain("from these always");
  expect(await write(place, "paul", "/shared")).toContain("PAUL-KEY the spare key is with Mia, to the owner");
  const before = questions(place).length;
  expect(await asks(place, "ada", "it is with Mia", LOOKS)).toEqual(told("it is with Mia"));
  expect(questions(place)).toHaveLength(before);
});

test("PE45 PE9 a group is offered no question to a person, and so nothing goes there for always", async () => {
  const place = await furnished(
    await running({ operators: ["ada"], chats: { trip: { groups: "named" } } }, { rules: "off", config: { people } }),
    KEY,
  );
  place.model.replies(
    callsTool("ask_person", { person: "Paul", question: "where?" }),
    LOOKS,
    says("with Mia"),
    says("so"),
  );
  const body = { id: "trip", chat: "trip", sender: "eva", text: "Mia, ask Paul", group: true, addressed: "named" };
  await postSigned(place.port, body);
  await place.app.agent.idle();
  expect(texts(place, "trip")).not.toEqual([]);
  expect(questions(place)).toEqual([]);
});

test.for([
  ["a line", LOOKS, (place: Running, text: string) => note(place, "memory/MEMORY.md", `- something else\n${text}\n`)],
  ["a file", READS, (place: Running, text: string) => note(place, "notes/key.md", text)],
] as const)(
  "PE45 %s with one word changed is asked about again; moved or beside others it is the same",
  async ([, look, put]) => {
    const place = await house(KEY);
    put(place, KEY);
    await always(place, look);
    put(place, KEY);
    expect(await asks(place, "eva", "unasked", look)).toEqual(told("unasked"));
    const before = questions(place).length;
    put(place, KEY.replace("Mia", "Ben"));
    expect(await asks(place, "eva", "with Ben", look)).toEqual([]);
    expect(questions(place)).toHaveLength(before + 1);
  },
);

test("PE45 a line that changes hands is asked about again, with the same words: it is a stranger's now", async () => {
  const place = await house(KEY);
  await always(place, LOOKS);
  expect(await asks(place, "eva", "unasked", LOOKS)).toEqual(told("unasked"));
  note(place, "memory/MEMORY.md", `${KEY} (source: untrusted content)\n`);
  expect(await asks(place, "eva", "asked", LOOKS)).toEqual([]);
  expect(questions(place).at(-1)).toContain(`> ${KEY}`);
});

test("PE45 /shared takes one back, by its id alone and by whom it belongs to alone", async () => {
  const place = await house(KEY);
  await always(place, LOOKS);
  const [{ id = "" } = {}] = kept(place);
  expect(await write(place, "eva", `/shared remove ${id}`)).toContain("You share nothing under");
  expect(await write(place, "paul", "/shared remove")).toContain("You share nothing under");
  expect(await asks(place, "eva", "unasked", LOOKS)).toEqual(told("unasked"));
  expect(await write(place, "paul", `/shared remove ${id.slice(0, 8)}`)).toContain("Asked about again from now on");
  expect(await asks(place, "eva", "asked", LOOKS)).toEqual([]);
  expect(await write(place, "paul", "/shared")).toBe("Nothing of yours goes to anybody without asking you.");
});

test("PE45 when the reader or its owner leaves it ends for good, also while margay was not running", async () => {
  for (const gone of ["eva", "paul"]) {
    let place = await house(KEY);
    await always(place, LOOKS);
    const { loaded } = place.app;
    const left = Object.fromEntries(Object.entries(loaded.config.people).filter(([id]) => id !== gone));
    place.app.configure({ ...loaded, config: { ...loaded.config, people: left } });
    place.app.configure(loaded); // back before it is written that they left
    await expect.poll(() => kept(place)).toEqual([]);
    expect(await asks(place, "eva", "asked", LOOKS)).toEqual([]);
    await write(place, "paul", `/allow ${codeIn(place)} always`);
    expect(kept(place)).toHaveLength(1);
    const file = join(place.place.home, "config.json");
    const all = readFileSync(file, "utf8");
    const config = JSON.parse(all) as { people: Record<string, object> };
    const { [gone]: _gone, ...others } = config.people;
    writeFileSync(file, JSON.stringify({ ...config, people: others }));
    place = await startedAgain(place);
    expect(kept(place)).toEqual([]);
  }
});

test("PE45 an answer of which a part has no name is offered once only, and the word always is no answer in his own words", async () => {
  const place = await house(KEY);
  for (const [n, looks] of [
    [], // made of nothing that was looked at
    [LOOKS, callsTool("recall", { query: "nothingofthat" })], // that it is not there is something too
    [LOOKS, callsTool("read_file", { path: "nowhere.txt" })],
  ].entries()) {
    expect(await asks(place, "eva", `with Mia ${n}`, ...looks)).toEqual([]);
    expect(questions(place).at(-1)).not.toContain("always");
    expect(questions(place)).toHaveLength(n + 1);
    for (const word of ["always", "Always", "session"])
      expect(await write(place, "paul", `/allow ${codeIn(place)} ${word}`)).toContain("This is asked about each time");
    expect(texts(place, "eva").join()).not.toContain("Paul answers");
    await write(place, "paul", `/deny ${codeIn(place)}`);
  }
  expect(await asks(place, "eva", "or Ben", LOOKS)).toEqual([]);
  expect(await write(place, "paul", `/allow ${codeIn(place)} session`)).toContain("This is asked about each time");
});

test("PE45 PE46 what belongs to somebody else too is still asked of them; a no to the same words holds its day", async () => {
  const place = await house(`${KEY} (source: untrusted content; readers ada+paul>ada)`, KEY);
  await always(place, LOOKS);
  await write(place, "eva", "hi");
  expect(texts(place, "eva").join()).not.toContain("Paul answers");
  await write(place, "paul", `/deny ${codeIn(place)}`); // while it waits the same is not asked again
  note(place, "memory/MEMORY.md", `${KEY}\n`);
  await asks(place, "eva", "no", READS);
  expect(await asks(place, "eva", "with Ben", LOOKS)).toEqual([]);
  await write(place, "paul", `/deny ${codeIn(place)}`);
  await always(place, LOOKS);
  expect(await asks(place, "eva", "with Ben", LOOKS)).toEqual([]); // he said no to just these words
  expect(await asks(place, "eva", "with Mia, he says", LOOKS)).toEqual(told("with Mia, he says"));
});

test("PE45 PE28 with the owner alone there is no /shared; a damaged file shares nothing and is kept", async () => {
  const alone = await running({ operators: ["ada"] }, { rules: "off" });
  expect(await write(alone, "ada", "/shared")).toContain("There is no command /shared");
  expect(await write(alone, "ada", "/help")).not.toContain("/shared");
  const place = await house(KEY);
  await always(place, LOOKS);
  const file = join(place.place.home, "shares.json");
  writeFileSync(file, readFileSync(file, "utf8").slice(0, -9));
  expect(await asks(place, "eva", "asked", LOOKS)).toEqual([]);
  await write(place, "paul", `/allow ${codeIn(place)} always`);
  expect(kept(place)).toHaveLength(1);
  expect(readFileSync(join(place.place.home, "shares.damaged.json"), "utf8")).toContain("PAUL-KEY");
});
