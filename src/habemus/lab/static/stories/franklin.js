// Franklin's halving, round by round.

export default {
  name: "franklin",
  scenario: "franklin-halving",
  title: { en: "Franklin: half of them fall in each round", pt: "Franklin: a cada rodada, metade cai" },
  steps: [
    {
      at: "start",
      en: [
        "The ring runs both ways",
        "Chang and Roberts may need n² messages. If messages can go left **and** right, candidates can be weeded out in rounds: compare yourself with your nearest active neighbour on both sides, and go on only if you beat both.",
      ],
      pt: [
        "O anel corre nos dois sentidos",
        "Chang e Roberts podem precisar de n² mensagens. Se as mensagens podem ir à esquerda **e** à direita, os candidatos podem ser eliminados em rodadas: compare-se com o vizinho ativo mais próximo de cada lado, e siga somente se vencer os dois.",
      ],
    },
    {
      at: { clause: "stand", process: 8 },
      en: ["Round 1: sixteen active", "All sixteen are active, and each sends its id to the left and to the right as a `Challenge`: 32 messages."],
      pt: ["Rodada 1: dezesseis ativos", "Todos os dezesseis estão ativos, e cada um envia seu identificador à esquerda e à direita num `Challenge`: 32 mensagens."],
    },
    {
      at: { clause: "meet_challenge", process: 1, changed: { active: false } },
      en: ["1 has heard both sides and is passive", "9 on one side, 13 on the other: 1 beats neither. `active` becomes False. From now on it only passes on what comes, in the same direction."],
      pt: ["O 1 ouviu os dois lados e fica passivo", "9 de um lado, 13 do outro: o 1 não vence nenhum. `active` torna-se False. Daqui em diante só repassa o que chega, no mesmo sentido."],
    },
    {
      at: { clause: "meet_challenge", process: 9, changed: { round: 2 } },
      en: [
        "Round 2: eight are left",
        "Every second process beat both neighbours. Of two active neighbours one always falls, so at least half do. In this ring it is exactly half: it was built that way.",
      ],
      pt: [
        "Rodada 2: restam oito",
        "Um processo sim, outro não, venceu os dois vizinhos. De dois vizinhos ativos um sempre cai, então cai pelo menos a metade. Neste anel é exatamente a metade: foi construído assim.",
      ],
    },
    {
      at: { clause: "meet_challenge", process: 13, changed: { round: 3 } },
      en: ["Round 3: four", "13, 14, 15 and 16. Challenges have to go further now, past the passive ones; but there are fewer of them. So a round always costs 2n messages, here 32."],
      pt: ["Rodada 3: quatro", "13, 14, 15 e 16. Os desafios precisam ir mais longe agora, passando pelos passivos; mas são menos. Por isso uma rodada custa sempre 2n mensagens, aqui 32."],
    },
    {
      at: { clause: "meet_challenge", process: 15, changed: { round: 4 } },
      en: ["Round 4: two", "15 and 16, half a ring apart. Each will meet the other on both sides."],
      pt: ["Rodada 4: dois", "15 e 16, a meio anel de distância. Cada um vai encontrar o outro dos dois lados."],
    },
    {
      at: { clause: "meet_challenge", process: 16, changed: { round: 5 } },
      en: ["Round 5: one, which does not know", "16 beat 15 twice. That it is alone it cannot know yet; so it sends its id once more, both ways."],
      pt: ["Rodada 5: um, que ainda não sabe", "O 16 venceu o 15 duas vezes. Que está sozinho ainda não pode saber; por isso envia seu identificador mais uma vez, nos dois sentidos."],
    },
    {
      at: { clause: "meet_challenge", process: 16, role: "leader" },
      en: ["Its own id from both sides", "Nobody on the whole ring was in its way: **16 leads**. log₂ 16 + 1 = 5 rounds of 32 messages."],
      pt: ["O próprio identificador dos dois lados", "Não havia ninguém em seu caminho no anel inteiro: **o 16 lidera**. log₂ 16 + 1 = 5 rodadas de 32 mensagens."],
    },
    {
      at: "end",
      messages: 176,
      tries: [
        { label: { en: "The same ring with ids in order", pt: "O mesmo anel com os ids em ordem" }, set: { topology: { n: 16, order: "sorted" } }, leader: 16 },
      ],
      en: [
        "O(n log n)",
        "5 × 32 and 16 for the announcement: 176 messages, exactly the bound 2n(⌊log₂ n⌋ + 1) + n. Chang and Roberts need up to 152 on this many; at 1,000 processes it is 21,000 here and up to half a million there.",
      ],
      pt: [
        "O(n log n)",
        "5 × 32 e 16 para o anúncio: 176 mensagens, exatamente o limite 2n(⌊log₂ n⌋ + 1) + n. Chang e Roberts precisam de até 152 com esse número; com 1.000 processos são 21.000 aqui e até meio milhão lá.",
      ],
    },
  ],
};
