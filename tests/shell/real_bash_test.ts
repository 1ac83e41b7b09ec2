import { testCanonicalScripts, testRandomTexts, testScripts } from "../support/real_bash.ts";

testScripts(300);
testCanonicalScripts(300);
testRandomTexts(3000);
