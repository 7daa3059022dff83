/** What no translation changes: each language in its own name, and the words by which it is found. */
export const LANGUAGE_NAMES = { en: "English", zh: "简体中文" } as const;
export const LANGUAGE_WORDS = { en: "language 语言", zh: "chinese zhongwen yuyan language" } as const;
