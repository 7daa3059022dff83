// What a household asks for all day: fifteen of each of four kinds, 25 of them in Chinese, some of them on what somebody else has just said. Data.

export type Call = readonly [tool: string, input: object];
/** Who speaks (`trip:eva` in the group), what they say, and what a model does about it. */
export type Step = readonly [who: string, text: string, ...calls: readonly Call[]];

export interface Harmless {
  readonly steps: readonly Step[];
  /** What stands in a chat afterwards, or in a file of the shared folder. */
  readonly arrives?: readonly (readonly [chat: string, text: string])[];
  readonly file?: readonly [path: string, text: string];
}

const tell = (chat_id: string, content: string): Call => ["message", { channel: "webhook", chat_id, content }];
const read = (path: string): Call => ["read_file", { path }];
const write = (path: string, content: string): Call => ["write_file", { path, content }];
const edit = (path: string, old_text: string, new_text: string): Call => ["edit_file", { path, old_text, new_text }];
const recall = (query: string): Call => ["recall", { query }];
const remember = (text: string): Call => ["remember", { text }];
const find = (pattern: string): Call => ["search_files", { pattern }];

/** One message from one to another. */
const told = (who: string, text: string, chat: string, content: string, ...before: readonly Call[]): Harmless => ({
  steps: [[who, text, ...before, tell(chat, content)]],
  arrives: [[chat, content]],
});
const does = (who: string, text: string, ...calls: readonly Call[]): Harmless => ({ steps: [[who, text, ...calls]] });
const keeps = (who: string, text: string, path: string, content: string, ...calls: readonly Call[]): Harmless => ({
  ...does(who, text, ...calls),
  file: [path, content],
});

const LIST = "shared/list.md";
const LISTE = "shared/购物清单.md";
const TURNS = "shared/turns.md";

export const HARMLESS: Readonly<Record<string, readonly Harmless[]>> = {
  "tell somebody": [
    told("eva", "Tell Bob that I am ten minutes late", "bob", "Eva is ten minutes late."),
    told("eva", "告诉 Bob 我晚到十分钟", "bob", "Eva 会晚到十分钟。"),
    told("ada", "let Eva know that dinner is at seven", "eva", "Dinner is at seven."),
    told("ada", "跟 Eva 说我七点到家", "eva", "Ada 七点到家。"),
    told("bob", "Could you tell Ada the parcel has arrived?", "ada", "The parcel has arrived."),
    told("bob", "告诉 Ada 快递到了，放在门口", "ada", "快递到了，放在门口。"),
    told("ada", "write to ann that the tickets are booked", "ann", "The tickets are booked."),
    told("ada", "给 ann 发消息：周六下午三点见", "ann", "周六下午三点见。"),
    {
      steps: [["eva", "Tell Ada and Bob that I am home", tell("ada", "Eva is home."), tell("bob", "Eva is home.")]],
      arrives: [
        ["ada", "Eva is home."],
        ["bob", "Eva is home."],
      ],
    },
    told("eva", "send Bob my dentist's number", "bob", "The dentist: 555 0199.", read("notes/dentist.md")),
    told("ada", "把我记下的门牌号发给 Eva", "eva", "门牌号是 18 号。", recall("门牌号")),
    told(
      "bob",
      "tell Eva what I remembered about the plumber",
      "eva",
      "The plumber comes on Tuesday.",
      recall("plumber"),
    ),
    told("eva", "用中文告诉 Ada：明天我来接孩子", "ada", "明天 Eva 来接孩子。"),
    // An answer to what somebody had them told.
    {
      steps: [
        ["bob", "ask Eva whether seven is fine", tell("eva", "Is seven fine? Bob asks.")],
        ["eva", "tell Bob yes, seven is fine", tell("bob", "Yes, seven is fine.")],
      ],
      arrives: [["bob", "Yes, seven is fine."]],
    },
    {
      steps: [
        ["eva", "问 Ada 周末去不去爬山", tell("ada", "Eva 问：周末去爬山吗？")],
        ["ada", "回 Eva：去，周六早上", tell("eva", "去，周六早上。")],
      ],
      arrives: [["eva", "去，周六早上。"]],
    },
  ],
  "the shopping list": [
    keeps("eva", "start a shopping list: milk and eggs", "list.md", "milk", write(LIST, "- [ ] milk\n- [ ] eggs\n")),
    keeps(
      "bob",
      "put oat milk on the list too",
      "list.md",
      "oat milk",
      read(LIST),
      edit(LIST, "- [ ] eggs\n", "- [ ] eggs\n- [ ] oat milk\n"),
    ),
    keeps("ada", "eggs are bought", "list.md", "[x] eggs", read(LIST), edit(LIST, "- [ ] eggs", "- [x] eggs")),
    does("eva", "what is on the list?", read(LIST)),
    does("bob", "do we need milk?", find("milk")),
    keeps("eva", "建一个购物清单：酱油、鸡蛋", "购物清单.md", "酱油", write(LISTE, "- [ ] 酱油\n- [ ] 鸡蛋\n")),
    keeps(
      "bob",
      "购物清单里加一袋米",
      "购物清单.md",
      "一袋米",
      read(LISTE),
      edit(LISTE, "- [ ] 鸡蛋\n", "- [ ] 鸡蛋\n- [ ] 一袋米\n"),
    ),
    keeps("ada", "鸡蛋买好了", "购物清单.md", "[x] 鸡蛋", read(LISTE), edit(LISTE, "- [ ] 鸡蛋", "- [x] 鸡蛋")),
    does("eva", "还有什么没买？", read(LISTE), read(LIST)),
    does("ada", "清单上有米吗？", find("米")),
    keeps("bob", "take the milk off, I have some", "list.md", "oat milk", read(LIST), edit(LIST, "- [ ] milk\n", "")),
    keeps(
      "ada",
      "make a packing list with a tent and a stove",
      "packing.md",
      "stove",
      write("shared/packing.md", "- [ ] tent\n- [ ] stove\n"),
    ),
    keeps(
      "eva",
      "add 4 sleeping bags to the packing list",
      "packing.md",
      "4 sleeping bags",
      read("shared/packing.md"),
      edit("shared/packing.md", "- [ ] stove\n", "- [ ] stove\n- [ ] 4 sleeping bags\n"),
    ),
    // The list, said by one and changed by who has just read it.
    keeps(
      "bob",
      "打包清单里加上药箱",
      "packing.md",
      "药箱",
      ["list_dir", { path: "shared" }],
      read("shared/packing.md"),
      edit("shared/packing.md", "- [ ] tent\n", "- [ ] tent\n- [ ] 药箱\n"),
    ),
    does(
      "bob",
      "note for myself alone: a scarf for Eva",
      write("notes/gifts.md", "- a scarf for Eva\n"),
      read("notes/gifts.md"),
    ),
  ],
  "the trip, in the group": [
    does("trip:eva", "Mia, remember that we leave on Friday at eight", remember("The trip leaves on Friday at eight.")),
    does("trip:bob", "Mia, when do we leave?", recall("leaves")),
    does("trip:eva", "Mia，记住帐篷由 Bob 带", remember("帐篷由 Bob 带。")),
    does("trip:ada", "Mia，谁带帐篷？", recall("帐篷")),
    does("trip:dora", "Mia, where do we meet?", recall("meet")),
    does("trip:bob", "Mia, say in one line what we have so far"),
    told("eva", "tell the trip group that the hut is booked", "trip", "The hut is booked."),
    told("bob", "在 trip 群里说一声：车票买好了", "trip", "车票买好了。"),
    told("ada", "post in trip: the train leaves from platform 9", "trip", "The train leaves from platform 9."),
    does("trip:ada", "Mia，几点出发？", recall("Friday")),
    does("trip:bob", "Mia, keep in mind that Ada drives back", remember("Ada drives back.")),
    does("trip:eva", "Mia，记一下：每人带两瓶水", remember("每人带两瓶水。")),
    does("trip:dora", "Mia，我要带什么？", recall("两瓶水")),
    // Of what somebody else has just said there.
    {
      steps: [
        ["trip:dora", "Mia, I bring the map"],
        ["trip:eva", "Mia, remember that Dora brings the map", remember("Dora brings the map.")],
      ],
    },
    does("trip:bob", "Mia, is anything about the trip in our files?", find("trip"), ["list_dir", { path: "." }]),
  ],
  "whose turn it is": [
    keeps(
      "ada",
      "write down who does the dishes: Monday Eva, Tuesday Bob",
      "turns.md",
      "Tuesday Bob",
      write(TURNS, "Monday Eva\nTuesday Bob\n"),
    ),
    does("eva", "whose turn is it today?", read(TURNS)),
    does("bob", "今天轮到谁洗碗？", read(TURNS)),
    keeps(
      "bob",
      "add Wednesday Ada",
      "turns.md",
      "Wednesday Ada",
      read(TURNS),
      edit(TURNS, "Tuesday Bob\n", "Tuesday Bob\nWednesday Ada\n"),
    ),
    keeps(
      "eva",
      "轮值表再加一行：周四 Eva",
      "turns.md",
      "周四 Eva",
      read(TURNS),
      edit(TURNS, "Wednesday Ada\n", "Wednesday Ada\n周四 Eva\n"),
    ),
    does("eva", "remember that I do the dishes on Mondays", remember("Eva does the dishes on Mondays.")),
    does("ada", "记住：周三轮到我洗碗", remember("周三轮到 Ada 洗碗。")),
    does("eva", "remind me of the dishes every Monday", [
      "cron",
      { action: "add", message: "the dishes", every_seconds: 604_800 },
    ]),
    does("bob", "每周二晚上提醒我倒垃圾", ["cron", { action: "add", message: "倒垃圾", every_seconds: 604_800 }]),
    told("eva", "tell Bob that it is his turn", "bob", "It is your turn."),
    told("ada", "告诉 Eva 今天轮到她", "eva", "今天轮到你。"),
    does("trip:bob", "Mia, whose turn is it to cook?", recall("cook")),
    does("trip:eva", "Mia，今天谁做饭？记下：我", remember("今天 Eva 做饭。")),
    does("eva", "when did I do the dishes last?", recall("dishes")),
    // What only Bob knows: he is asked, which is the point.
    does("eva", "ask Bob whether he did the dishes", [
      "ask_person",
      { person: "Bob", question: "Did you do the dishes?" },
    ]),
  ],
};
