// Types for the test: the class is used where TypeScript sees the global one.
export declare const SmallHeaders: typeof Headers;
