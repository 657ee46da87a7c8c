// What the checker assumes, phrase by phrase, in Portuguese.

export default [
  ["synchronous pulses", "pulsos síncronos"],
  ["bounded: messages take 1 tick", "limitado: mensagens levam 1 tique"],
  [/bounded: messages take 1 to (\d+) ticks/, "limitado: mensagens levam de 1 a $1 tiques"],
  ["async: any delay", "assíncrono: qualquer atraso"],
  ["ordered: no timer while a message is under way, shorter timers first", "ordenado: nenhum temporizador enquanto há mensagem a caminho, os mais curtos primeiro"],
  ["FIFO links", "canais FIFO"],
  ["links that overtake", "canais em que mensagens se ultrapassam"],
  ["timers run out at any moment, any number of at each process", "temporizadores expiram a qualquer momento, quantas vezes for, em cada processo"],
  [/timers run out at any moment, (\d+) at each process/, "temporizadores expiram a qualquer momento, até $1 em cada processo"],
  ["a perfect detector, which tells each on its own", "um detector perfeito, que avisa cada um por si"],
  ["a perfect detector, which tells all at once", "um detector perfeito, que avisa todos de uma vez"],
  ["an eventually perfect detector", "um detector perfeito a partir de algum momento"],
  ["at most", "no máximo"],
  [/(\d+) crash(es)?/, "$1 falha(s)"],
  [/(\d+) recover(y|ies)/, "$1 recuperação(ões)"],
  [/(\d+) messages? lost/, "$1 mensagem(ns) perdida(s)"],
  [/(\d+) messages? doubled/, "$1 mensagem(ns) duplicada(s)"],
  [/(\d+) messages? overtaking others/, "$1 mensagem(ns) fora de ordem"],
  [/(\d+) wrong suspicions?/, "$1 suspeita(s) errada(s)"],
];
