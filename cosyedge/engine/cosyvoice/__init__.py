"""CosyVoice-300M-SFT on ONNX Runtime, from a bundle that ``cosyedge export cosyvoice`` wrote."""
