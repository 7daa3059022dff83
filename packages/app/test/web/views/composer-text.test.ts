import { expect, test } from "vitest";
import { inserted } from "../../../src/web/chat/composer/composer-text.ts";

test("words come to the selection, apart from those beside them; Chinese stands close", () => {
  const cases = [
    ["|", "hello", "hello|"],
    ["Buy |", "milk", "Buy milk|"],
    ["Buy|", "milk", "Buy milk|"],
    ["Done.|", "Next", "Done. Next|"],
    ["|and tea", "milk", "milk| and tea"],
    ["Buy |, please", "milk", "Buy milk|, please"],
    ["Buy [tea] now", "milk", "Buy milk| now"],
    ["one\n|", "two", "one\ntwo|"],
    ["(|)", "aside", "(aside|)"],
    ["买|", "牛奶", "买牛奶|"],
    ["请买|，谢谢", "牛奶", "请买牛奶|，谢谢"],
    ["用|打开", "chat.ts", "用chat.ts|打开"],
  ] as const;
  for (const [draft, words, expected] of cases) {
    const at = draft.search(/[|[]/);
    const end = draft.includes("[") ? draft.indexOf("]") - 1 : at;
    const { text, cursor } = inserted(draft.replaceAll(/[|[\]]/g, ""), [at, end], words);
    expect(`${text.slice(0, cursor)}|${text.slice(cursor)}`).toBe(expected);
  }
});
