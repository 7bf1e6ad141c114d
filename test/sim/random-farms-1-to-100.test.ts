import { testRandomFarms } from './random-farms.ts';

testRandomFarms(1, 100);
