/** What the profile `countbot` calls the agent and its person. */
export const AGENT = "小C";
export const PERSON = "主人";
