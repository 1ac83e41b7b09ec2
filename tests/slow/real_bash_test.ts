import { testCount } from "../support/random.ts";
import { testCanonicalScripts, testRandomTexts, testScripts } from "../support/real_bash.ts";

testScripts(10_000);
testCanonicalScripts(10_000);
testRandomTexts(testCount(100_000));
