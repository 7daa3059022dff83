// How a text becomes words for the search: the same here and in the browser. Chinese has no spaces, so pairs of signs are its words.
const WORD = /\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}_])+/gu;
const HAN = /^\p{Script=Han}/u;

/** `"备份文件 now"` → `["备份", "份文", "文件", "now"]`. */
export function wordsOf(text) {
  return [...text.toLowerCase().matchAll(WORD)].flatMap(([run]) => {
    if (!HAN.test(run)) return [run];
    const signs = [...run];
    return signs.length === 1 ? signs : signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
  });
}

/** What the index is made with, and read with. */
export const INDEX = {
  fields: ["title", "heading", "text"],
  storeFields: ["title", "heading"],
  tokenize: wordsOf,
  processTerm: (term) => term,
  searchOptions: {
    boost: { title: 3, heading: 5 },
    combineWith: "AND",
    prefix: (term) => !HAN.test(term),
    fuzzy: (term) => (HAN.test(term) || term.length < 5 ? false : 1),
  },
};
